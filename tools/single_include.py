#!/usr/bin/env python3
"""single_include.py: makes single_include/nnrt/nnrt.hpp, what static networks need in one file.

Flow: begins with the headers of STARTS and puts each header of nnrt where it is first included; headers of other
libraries stay includes. The test single_include/up_to_date runs `--check`, which fails when the committed file is not
what would be made.

    single_include.py           write the file
    single_include.py --check   say whether it is up to date
"""
import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
STARTS = ["nnrt/nnrt.hpp", "nnrt/io/make_weights.hpp", "nnrt/exec/stored_weights.hpp"]
RESULT = ROOT / "single_include" / "nnrt" / "nnrt.hpp"

PREAMBLE = f"""\
// nnrt in one file: made by tools/single_include.py from {', '.join(STARTS)} in include/; \
change the headers there, not this file.
// Flow: copy it anywhere; Boost.Hana and xsimd must be on the include path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(NNRT_ISA)
#error "nnrt: headers of include/nnrt have been included; \
single_include/nnrt/nnrt.hpp replaces them: include only one of them"
#endif
"""
END = "// core/config.hpp complains where it sees this.\n#define NNRT_SINGLE_INCLUDE 1\n"

INCLUDES = re.compile(r"^\s*#\s*include\s*<([^>]+)>")
CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef)\b")
END_OF_CONDITION = re.compile(r"^\s*#\s*endif\b")


class Inliner:
    """Writes headers down in the order in which the compiler would read them."""

    def __init__(self) -> None:
        self.lines: list[str] = [PREAMBLE]
        self.inlined: set[str] = set()
        self.foreign: set[str] = set()   # other libraries' headers included so far, outside any condition

    def inline(self, header: str, conditional: bool = False) -> None:
        self.inlined.add(header)
        self.lines.append(f"// ===== {header}")
        depth = 0
        for line in (INCLUDE / header).read_text(encoding="utf-8").splitlines():
            if END_OF_CONDITION.match(line):
                depth -= 1
            target = INCLUDES.match(line)
            if target:
                self.include(target[1], line, header, conditional or depth > 0)
            elif line.strip() != "#pragma once":
                self.lines.append(line)
            if CONDITION.match(line):
                depth += 1

    def include(self, target: str, line: str, header: str, conditional: bool) -> None:
        if not target.startswith("nnrt/"):
            if target not in self.foreign:
                self.lines.append(line)
            if not conditional:
                self.foreign.add(target)
        elif target not in self.inlined:
            if conditional:
                # Where the condition does not hold, a later include of this header would not include the target.
                sys.exit(f"{header}: <{target}> is included under a condition;"
                         " include it without one, and put the condition inside it")
            self.inline(target)


def whole_library() -> str:
    inliner = Inliner()
    for start in STARTS:
        if start not in inliner.inlined:
            inliner.inline(start)
    text = "\n".join([*inliner.lines, "", END])
    return re.sub(r"\n{3,}", "\n\n", text)


def main() -> int:
    if sys.argv[1:] not in ([], ["--check"]):
        is_asked = sys.argv[1] in ("-h", "--help")
        print(__doc__, file=sys.stdout if is_asked else sys.stderr)
        return 0 if is_asked else 2
    made = whole_library()
    if not sys.argv[1:]:
        RESULT.parent.mkdir(parents=True, exist_ok=True)
        RESULT.write_text(made, encoding="utf-8")
        return 0
    committed = RESULT.read_text(encoding="utf-8") if RESULT.is_file() else ""
    if committed == made:
        return 0
    difference = difflib.unified_diff(committed.splitlines(), made.splitlines(), "committed", "made now", lineterm="",
                                      n=1)
    print("\n".join(list(difference)[:30]))
    print("single_include/nnrt/nnrt.hpp is stale: run tools/single_include.py")
    return 1


sys.exit(main())
