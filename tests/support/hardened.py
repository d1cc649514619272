"""hardened.py: whether programs and shared libraries are linked as cmake/NnrtTargets.cmake hardens them.

Usage: hardened.py READELF CHECKED... -- FILE...
Flow: tests/CMakeLists.txt registers it as link/hardened. Each file has read-only relocations that are bound at the
start, no executable stack and no fixed position. The checked ones (tools, libraries) have a stack protector, too, and
call functions of the C library that check sizes.
"""
import re
import subprocess
import sys


def faults(readelf: str, file: str, has_checks: bool) -> list[str]:
    told = subprocess.run([readelf, "-hldW", "--dyn-syms", file], capture_output=True, text=True, check=True).stdout
    wrong = []
    if "GNU_RELRO" not in told:
        wrong.append("has no read-only relocations (relro)")
    if not re.search(r"\((FLAGS|FLAGS_1)\).*(BIND_NOW|NOW)", told):
        wrong.append("binds functions when they are first called (now)")
    if (stack := re.search(r"GNU_STACK .*", told)) and re.search(r"\bRWE\b", stack[0]):
        wrong.append("has an executable stack")
    if not re.search(r"Type:\s+DYN", told):
        wrong.append("has one position (pie)")
    if has_checks and "__stack_chk_fail" not in told:
        wrong.append("has no stack protector")
    if has_checks and not re.search(r"\b__\w+_chk\b", told.replace("__stack_chk_fail", "")):
        wrong.append("calls no checked function of the C library (fortify)")
    return [f"{file}: {one}" for one in wrong]


def main(readelf: str, files: list[str]) -> int:
    end = files.index("--")
    found = [c for i, f in enumerate(files) if i != end for c in faults(readelf, f, i < end)]
    print("\n".join(found) or f"{len(files) - 1} files are hardened")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
