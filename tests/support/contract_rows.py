"""contract_rows.py: how many rows of the C functions' contract have a test, function by function.

Flow: counts the rows of tests/c_api/contract_test.cpp against the functions that the C headers declare. A function
fails without a row that answers SUCCESS, an object or DONE, or without any row that refuses something.
tests/CMakeLists.txt registers it as hygiene/contract.
"""
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADERS = [ROOT / "include/neural_network_runtime" / name
           for name in ("neural_network_core.h", "neural_network_runtime.h")]
ROWS = ROOT / "tests/c_api/contract_test.cpp"
GOOD = {"SUCCESS", "AN_OBJECT", "DONE"}
# Nothing can be refused: they take no argument.
WITHOUT_ARGUMENT = re.compile(r"_(Create|Construct|ConstructForCache)\(void\)")


def main() -> int:
    declared = {}
    for header in HEADERS:
        text = header.read_text(encoding="utf-8")
        for found in re.finditer(r"[ *](OH_NN[A-Za-z]+_[A-Za-z0-9]+)\(", text):
            declared[found[1]] = bool(WITHOUT_ARGUMENT.search(text[found.start() : found.start() + 80]))
    rows = re.findall(r'\{"(OH_NN\w+)",\s+"[^"]+",\s+(\w+),', ROWS.read_text(encoding="utf-8"))
    good = Counter(function for function, answer in rows if answer in GOOD)
    refusals = Counter(function for function, answer in rows if answer not in GOOD)
    faults = [f"{name}: a row for a function that no header declares"
                  for name in set(good | refusals) - set(declared)]
    for name, takes_nothing in sorted(declared.items()):
        print(f"{name:50} {good[name]:3} that succeed, {refusals[name]:3} that are refused")
        if not good[name]:
            faults.append(f"{name}: no row that succeeds")
        if not refusals[name] and not takes_nothing:
            faults.append(f"{name}: no row that is refused")
    print(f"{len(declared)} functions, {len(rows)} rows")
    for fault in faults:
        print(fault)
    return 1 if faults or not rows else 0


sys.exit(main())
