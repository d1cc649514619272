"""snippets.py: compiles the pieces of programs in a document, where a file of tests/snippets lets them stand.

Flow: tests/CMakeLists.txt registers each file of tests/snippets. Whole programs of documents are not compiled here:
accepted.py runs those with a main(), and rejected.py has those refused that say what they expect.

    snippets.py SOURCE DOCUMENT SCRATCH_FILE COMPILER FLAGS...

DOCUMENT is a Markdown file, or a folder of them. A line `// <part>: <text>` of SOURCE becomes that part of the one
```cpp block there that has the text:
    includes      its #include lines
    declarations  what may stand in a namespace: networks, types, functions, static_asserts, NNRT_EMBED, NNRT_MODEL
    statements    all else, which wants a function around it
Every block must be used, each part of it; errors of the compiler name the document's lines.
"""
import re
import subprocess
import sys
from pathlib import Path

PARTS = ("includes", "declarations", "statements")
WHOLE = re.compile(r"\bint main\(|^// expect: ", re.M)
DECLARATION = re.compile(
    r"(inline |constexpr |using |static_assert|NNRT_EMBED|NNRT_MODEL|TEST_CASE|struct |namespace |template |"
    r"[\w:<>,*& ]+\b\w+\([^()]*\) \{)")


def pieces(block: str) -> list[tuple[int, str]]:
    """The declarations, statements and includes of a block, each with the number of its first line there."""
    found, begin, depth = [], None, 0
    lines = block.splitlines()
    for number, line in enumerate(lines):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0].rstrip()
        if begin is None and code:
            begin = number
        depth += sum(code.count(c) for c in "({[") - sum(code.count(c) for c in ")}]")
        if begin is not None and depth == 0 and (code.startswith("#") or code.endswith((";", "}"))):
            found.append((begin, "\n".join(lines[begin : number + 1])))
            begin = None
    return found if begin is None else [*found, (begin, "\n".join(lines[begin:]))]


def part_of(piece: str) -> str:
    if piece.startswith("#include"):
        return "includes"
    return "declarations" if DECLARATION.match(piece) else "statements"


def blocks_of(page: Path) -> list[tuple[str, int, str]]:
    """The page's blocks that are no whole programs: its name, the number of the block's first line, its text."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```cpp\n(.*?)^```", text, re.M | re.S)
    return [(page.name, text.count("\n", 0, m.start(1)) + 1, m[1]) for m in found if not WHOLE.search(m[1])]


class Document:
    """The blocks of a document, and which of their parts have been used."""

    def __init__(self, path: Path) -> None:
        pages = sorted(path.glob("*.md")) if path.is_dir() else [path]
        self.path, self.blocks = path, [block for page in pages for block in blocks_of(page)]
        self.left = {(page, first, part_of(p)) for page, first, block in self.blocks for _, p in pieces(block)}

    def part(self, part: str, text: str) -> str:
        having = [found for found in self.blocks if text in found[2]]
        if len(having) != 1:
            sys.exit(f"{self.path.name} has {len(having)} pieces of programs with: {text}")
        page, first, block = having[0]
        wanted = [(n, p) for n, p in pieces(block) if part_of(p) == part]
        if not wanted:
            sys.exit(f"{page}: the piece of a program in line {first} has no {part}")
        self.left.discard((page, first, part))
        return "\n".join(f'#line {first + n} "{page}"\n{p}' for n, p in wanted)


def main() -> int:
    source, document, scratch, command = Path(sys.argv[1]), Document(Path(sys.argv[2])), Path(sys.argv[3]), sys.argv[4:]
    lines = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        asked = re.match(rf"\s*// ({'|'.join(PARTS)}): (.*)$", line)
        lines.append(f'{document.part(asked[1], asked[2])}\n#line {number + 1} "{source.name}"' if asked else line)
    for page, first, part in sorted(document.left):
        print(f"{page}:{first}: {source.name} has no line '// {part}: ...' for this piece of a program")
    scratch.parent.mkdir(parents=True, exist_ok=True)
    scratch.write_text("\n".join(lines) + "\n", encoding="utf-8")
    built = subprocess.run([*command, "-fsyntax-only", str(scratch)], capture_output=True, text=True)
    print("\n".join(built.stderr.splitlines()[:40]))
    return 1 if document.left or not document.blocks or built.returncode != 0 or built.stderr else 0


sys.exit(main())
