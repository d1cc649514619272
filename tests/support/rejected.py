"""rejected.py: a program is rejected for the reason that its first lines state, and accepted once that is mended.

Flow: tests/CMakeLists.txt registers each file of tests/compile_fail through nnrt_add_compile_fail().

    rejected.py SOURCE COMPILER FLAGS...

SOURCE is a C++ file, or a Markdown file with one ```cpp block that is such a program. In it:
    // expect: <regex>     what the first 20 lines of the compiler's output must contain; may stand several times
    // here                at the end of a line, or on the line before it: one of those 20 lines must point at that line
    // errors: <number>    how many errors the compiler reports in all; 1 when no such line is there
    #ifdef NNRT_FIXED      the program must compile when this is defined
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SEEN_BY_USERS = 20  # lines of output that people read


def faults(source: Path, output: str) -> list[str]:
    """What the compiler's output lacks of what the source promises."""
    head = "\n".join(output.splitlines()[:SEEN_BY_USERS])
    text = source.read_text(encoding="utf-8")
    expected = re.findall(r"^// expect: (.*\S)\s*$", text, re.M)
    wrong = [] if expected else ["the file has no line '// expect: <regex>'"]
    wrong += [f"the first {SEEN_BY_USERS} lines do not match: {e}" for e in expected if not re.search(e, head)]
    for number, line in enumerate(text.splitlines(), 1):
        marked = number + 1 if line.strip() == "// here" else number
        if line.rstrip().endswith("// here") and f"{source.name}:{marked}:" not in head:
            wrong.append(f"the first {SEEN_BY_USERS} lines do not point at {source.name}:{marked}")
    reported = len(re.findall(r"^\S.*\berror: ", output, re.M))
    allowed = re.findall(r"^// errors: (\d+)$", text, re.M) or ["1"]
    if reported != int(allowed[0]):
        wrong.append(f"there are {reported} errors, not {allowed[0]}")
    return wrong


def written_out(document: Path, folder: Path) -> Path:
    """The document's program that is to be rejected, as a file."""
    blocks = re.findall(r"^```cpp\n(.*?)^```", document.read_text(encoding="utf-8"), re.M | re.S)
    programs = [block for block in blocks if re.search(r"^// expect: ", block, re.M)]
    if len(programs) != 1:
        sys.exit(f"{document.name} has {len(programs)} programs with a line '// expect: <regex>', not 1")
    program = folder / f"{document.stem}.cpp"
    program.write_text(programs[0], encoding="utf-8")
    return program


def main() -> int:
    source, compile_command = Path(sys.argv[1]), sys.argv[2:]
    if source.suffix == ".md":
        with tempfile.TemporaryDirectory() as folder:
            return check(written_out(source, Path(folder)), compile_command)
    return check(source, compile_command)


def check(source: Path, compile_command: list[str]) -> int:
    broken = subprocess.run([*compile_command, str(source)], capture_output=True, text=True)
    if broken.returncode == 0:
        print(f"{source.name} compiles, but must be rejected")
        return 1
    if broken.returncode < 0 or "internal compiler error" in broken.stderr:
        print(f"the compiler crashed on {source.name}:\n{broken.stderr}")
        return 1
    wrong = faults(source, broken.stderr)
    fixed = subprocess.run([*compile_command, "-DNNRT_FIXED", str(source)], capture_output=True, text=True)
    if fixed.returncode != 0:
        wrong.append("it does not compile with -DNNRT_FIXED:\n" + fixed.stderr)
    elif "NNRT_FIXED" not in source.read_text(encoding="utf-8"):
        wrong.append("the file does not mention NNRT_FIXED")
    if not wrong:
        return 0
    print(f"{source.name}:")
    for w in wrong:
        print(f"* {w}")
    print("the compiler said:")
    print("\n".join(broken.stderr.splitlines()[:40]))
    return 1


sys.exit(main())
