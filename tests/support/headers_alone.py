"""headers_alone.py: every public header compiles alone; C headers do so as C99, too.

Flow: tests/CMakeLists.txt registers two calls per compiler. Headers that programs include compile as they do in
programs of one unit, all of them nightly and two every day. The others are compiled without what they would
instantiate, which is every operator: a separate unit has it, and what they include is the same.

    headers_alone.py alone|all_alone INCLUDE_DIRECTORY COMPILER FLAGS...

alone: headers that programs include, those of C, and the readers of files, which programs include all at once: a
missing include of one is hidden by its neighbours; all_alone: every header.
"""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

AT_ONCE = 2
READERS = "nnrt/io/"
WHOLE_EVERY_DAY = {"nnrt/nnrt.hpp", "nnrt/dynamic.hpp"}


def compile_alone(header: str, command: list[str]) -> str:
    # Through standard input: a header as the main file would be warned about its #pragma once.
    run = subprocess.run([*command, "-fsyntax-only", "-"], input=f"#include <{header}>\n",
                         capture_output=True, text=True)
    if run.returncode == 0:
        return ""
    return f"* {header}\n" + "\n".join(run.stderr.splitlines()[:15])


def main() -> int:
    depth, include, compiler, flags = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    cxx = [compiler, *flags, f"-I{include}", "-x", "c++"]
    separate = [*cxx, "-DNNRT_SEPARATE_COMPILATION", "-DNNRT_SEPARATE_FORMS"]
    c99 = [compiler, "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}"]
    headers = sorted(str(h.relative_to(include)) for suffix in ("*.hpp", "*.h") for h in include.rglob(suffix))
    whole = {h for h in headers if h.count("/") <= 1}
    if depth == "alone":
        headers = [h for h in headers if h in whole or h.endswith(".h") or h.startswith(READERS)]
        whole = WHOLE_EVERY_DAY
    jobs = [(h, cxx if h in whole else separate) for h in headers] + [(h, c99) for h in headers if h.endswith(".h")]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        failures = [f for f in pool.map(lambda job: compile_alone(*job), jobs) if f]
    print("\n".join(failures))
    print(f"{len(headers)} headers, {len(failures)} do not compile alone")
    return 1 if failures or not headers else 0


sys.exit(main())
