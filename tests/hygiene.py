"""hygiene.py: what the repository promises about its own text.

Flow: tests/CMakeLists.txt registers each check as the test hygiene/<check>; without arguments all of them run.

    headers    a header says in its first two lines what it is and where it stands in the flow, then #pragma once
    docstrings a public type or concept says what it is in a /// comment
    opens      the library and its programs open files by io/open_file.hpp alone, which neither waits nor takes pipes
               and devices for files
    machines   conditions on instruction sets stand in core/config.hpp and kernels/simd/
    arguments  a function has at most 7 parameters, in kernels/ at most 6: arguments that belong together are a struct
    crossing   CONTRIBUTING.md lists every header that branches on an instruction set, dtype, rounding or activation
    switches   a switch over an enumeration has no default, which would hide that an enumerator is missing
    english    comments, and texts of tests and programs, use none of the words that make riddles of sentences
    layers     a header includes only what its layer may know; intrinsics live in kernels/ alone
    words      nothing unfinished, no path of somebody's machine, no tab, no space at a line's end, a newline at the end
    top_level  the top level holds what it should and nothing else
    columns    no line of C++, Python, shell or CMake is longer than .clang-format says
    format     C++ is formatted as clang-format 16 does by .clang-format
    marks      what tests say to scripts (nightly:, expect:, flags:, errors:) begins a line
    nightly    tests/nightly.sh runs the legs that it is given: one that does not exist is refused, each that --help
               lists has a function
    design     docs/design.md has at most 4,000 words: details are on pages in docs/design/ and docs/kernels/
    glossary   docs/glossary.md has each term once, in alphabetical order
    readme     README.md has at most 1,500 words, and a version in CHANGELOG.md 80 lines; README.md counts the operators
               as docs/operators/ does, and lists those without kernels; programs that it and docs/guide/ show are those
               of examples/, its error is that of docs/guide/compile-time.md
    links      relative links in Markdown files lead to files, and to headings of these
    operators  each operator stands in ops/list.hpp, has its test with each of its rules and its reference in a
               static_assert, and a program that breaks one; a bound of errors that it states is measured
"""
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include" / "nnrt"

# Top to bottom: a layer may include those above it, itself, and nothing else of nnrt.
LAYERS = ["core", "ops", "ir", "passes", "kernels", "policy", "io", "exec", "hal", "hdi", "remote", "c_api", "hb_dnn",
          "bpu"]
# Kernels are plain functions on pointers: they know operators, but neither graphs nor passes.
UNKNOWN_TO = {"kernels": {"ir", "passes"}}
# Each of these parses as slowly as all of Hana; the layers that every program includes stay without them.
HEAVY = {"memory", "thread", "functional", "ranges", "mutex", "condition_variable", "iostream", "sstream", "regex",
         "iomanip"}
LIGHT_LAYERS = {"core", "ops", "ir", "passes"}
INTRINSICS = re.compile(r"xsimd/.*|.*intrin\.h|arm_(neon|sve|fp16)\.h")
LONG_HEADER = 500

TOP_LEVEL = {"CMakeLists.txt", "include", "tests", "bench", "examples", "tools", "docs", "cmake", "single_include"}
USUAL_FILES = {"README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "CMakePresets.json",
               "Doxyfile", "NOTICE", "SECURITY.md"}
USUAL_DOT_FILES = {".ci", ".clang-format", ".clang-tidy", ".clangd", ".editorconfig", ".gitattributes", ".github",
                   ".gitignore"}

TEXT = {".hpp", ".h", ".cpp", ".c", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".in", ".cff", ""}
UNFINISHED = re.compile(r"\b(TO[D]O|FI[X]ME|X[X]X|not implemente[d]|placeholde[r])\b", re.I)
SOMEBODYS_PATH = re.compile(r"(?<![\w.}<])/(home|root|mnt|srv|wor[k]|Users)/\w")


def tracked() -> list[Path]:
    """The files of the repository: git's where it is one, else what a released archive holds."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True,
                            text=True)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    return [f for f in ROOT.rglob("*") if f.is_file() and f.relative_to(ROOT).parts[0] not in {"build", ".git"}]


def headers() -> list[Path]:
    return sorted(INCLUDE.rglob("*.hpp"))


def layer_of(header: Path) -> str:
    """The folder under include/nnrt/; empty for the public headers that stand in it directly."""
    parts = header.relative_to(INCLUDE).parts
    return parts[0] if len(parts) > 1 else ""


def included(header: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', header.read_text(encoding="utf-8"), re.M)


def check_headers() -> Iterator[str]:
    for header in headers():
        name = header.relative_to(ROOT)
        text = header.read_text(encoding="utf-8")
        lines = text.splitlines()
        stem = re.escape(header.stem)
        if not lines or not re.match(rf"// {stem}: \S", lines[0]):
            yield f"{name}: the first line must be '// {header.stem}: what it is'"
        comment = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
        if not any(line.startswith("// Flow: ") for line in lines[:comment]):
            yield f"{name}: the comment at the top must hold '// Flow: where it stands'"
        if comment >= len(lines) or lines[comment] != "#pragma once":
            yield f"{name}: '#pragma once' must follow the comment at the top"
        if len(lines) > LONG_HEADER:
            print(f"note: {name} has {len(lines)} lines; does it hold two subjects?")


def outside_detail(lines: list[str]) -> Iterator[int]:
    """The numbers of the lines that stand in no namespace called detail."""
    in_detail = False
    for number, line in enumerate(lines):
        if re.match(r"namespace .*\bdetail\b.*\{", line):
            in_detail = True
        elif re.match(r"\}+\s*// namespace.*\bdetail\b", line):
            in_detail = False
        elif not in_detail:
            yield number


def check_docstrings() -> Iterator[str]:
    # A definition at the margin; a specialisation (its name is followed by <) says nothing new.
    definition = re.compile(r"(?:template <.*> )?(?:requires .* )?(struct|class|enum class|concept) (\w+)(?= [:={]|$)")
    for header in headers():
        lines = header.read_text(encoding="utf-8").splitlines()
        for number in outside_detail(lines):
            found = definition.match(lines[number])
            if not found or lines[number].startswith("template <> "):
                continue
            above = number - 1
            while re.match(r"\s*(template|requires)\b", lines[above]):
                above -= 1
            if not lines[above].startswith("///"):
                yield f"{header.relative_to(ROOT)}:{number + 1}: {found[1]} {found[2]} has no /// docstring"


def check_layers() -> Iterator[str]:
    for header in headers():
        name, layer = header.relative_to(ROOT), layer_of(header)
        if layer and layer not in LAYERS:
            yield f"{name}: '{layer}' is no layer of docs/design.md"
            continue
        above = set(LAYERS[: LAYERS.index(layer) + 1]) - UNKNOWN_TO.get(layer, set()) if layer else set(LAYERS)
        for target in included(header):
            if target.startswith("nnrt/"):
                other = target.split("/")[1]
                if layer and other not in above:
                    yield f"{name}: {layer}/ knows nothing of {target}"
                if not (ROOT / "include" / target).is_file():
                    yield f"{name}: {target} does not exist"
            elif INTRINSICS.fullmatch(target) and layer != "kernels":
                yield f"{name}: only kernels/ includes {target}"
            elif target in HEAVY and layer in LIGHT_LAYERS:
                yield f"{name}: <{target}> is too slow to parse for {layer}/"
            elif (ROOT / "include" / "nnrt" / target).is_file() or (header.parent / target).is_file():
                yield f"{name}: write <nnrt/...> instead of {target}"


# What a condition on an instruction set names: macros of compilers, and those of core/config.hpp.
MACHINE = re.compile(r"__(AVX|SSE|F16C|FMA|AMX|ARM|aarch64|x86_64|i386|wasm)\w*|NNRT_(X86|ARM|WASM)_\w+|NNRT_SCALAR")


def check_machines() -> Iterator[str]:
    for header in headers():
        name = str(header.relative_to(INCLUDE))
        if name.startswith("kernels/simd/") or name == "core/config.hpp":
            continue
        for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"\s*#\s*(if|elif|ifdef|ifndef)\b", line) and (found := MACHINE.search(line)):
                yield (f"{header.relative_to(ROOT)}:{number}: a condition on {found[0]}; kernels/simd/ and "
                       "core/config.hpp have those")


# Most parameters of a function of a layer; of the other layers, MOST_PARAMETERS.
PARAMETERS = {"kernels": 6}
MOST_PARAMETERS = 7
NO_FUNCTIONS = {"if", "for", "while", "switch", "catch", "constexpr", "requires", "decltype", "alignas", "defined"}


def without_comments(text: str) -> str:
    """C++ with blanks for comments and empty literals, on the same lines."""
    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0]) if found[0][0] == "/" else found[0][0] * 2
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)


def parameters(text: str, opening: int) -> tuple[int, int]:
    """How many parameters a list has that opens at a place of `text`, and where it ends."""
    depth, angles, commas = 0, 0, 0
    for at in range(opening, len(text)):
        char = text[at]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return commas + 1 if text[opening + 1:at].strip() else 0, at
        elif depth == 1 and char == "<":
            angles += 1
        elif depth == 1 and char == ">" and text[at - 1] != "-":
            angles -= 1
        elif depth == 1 and char == "," and angles == 0:
            commas += 1
    return 0, len(text)


def functions_defined(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, line and number of parameters of the functions and lambdas with a body. A colon begins the members of a
    constructor, unless the condition of a ?: stands before it."""
    text = without_comments(text)
    body = re.compile(r"\s*(?:(?:const|noexcept|mutable|override|->[^;{]*|__attribute__\(\(\w+\)\))\s*)*(\{|:(?!:))")
    for found in re.finditer(r"([\w\]]+)\s*\(", text):
        if found[1] in NO_FUNCTIONS:
            continue
        count, end = parameters(text, found.end() - 1)
        opened = body.match(text, end + 1)
        if opened and (opened[1] == "{" or "?" not in re.split(r"[;{}]", text[:found.start()])[-1]):
            yield found[1], text.count("\n", 0, found.start()) + 1, count


def check_arguments() -> Iterator[str]:
    for header in headers():
        most = PARAMETERS.get(layer_of(header), MOST_PARAMETERS)
        for name, line, count in functions_defined(header.read_text(encoding="utf-8")):
            if count > most:
                yield (f"{header.relative_to(ROOT)}:{line}: {name}() has {count} parameters; at most {most}, group "
                       "those that belong together in a struct")


# By the first words of a row of CONTRIBUTING.md's table: what a header holds that the row must list.
CROSSING = {
    "an instruction set": r"^\s*#\s*(?:el)?if\b.*\bNNRT_X86_AVX2\b",
    "a dtype": r"\bdtype_count\b|\bcase dtype::f64\b|\"F64\"",
    "a rounding of quantised values": r"\bquantised_rounding::half_to_even\b|\"half_to_even\"",
    "a fused activation": r"(?<!recurrent_)\bactivation::relu6\b|\bACTIVATION_TYPE_RELU6\b",
}


def check_crossing() -> Iterator[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (an? [^|]*?) \| (.*) \|$", text, re.M))
    for title, pattern in CROSSING.items():
        row = rows.get(title, "")
        for header in headers():
            name = str(header.relative_to(INCLUDE))
            if name.startswith("kernels/simd/"):
                continue   # the files of instruction sets, which the row names as a folder
            if re.search(pattern, header.read_text(encoding="utf-8"), re.M) and f"`{name}`" not in row:
                yield f"CONTRIBUTING.md: the row '{title}' does not list {name}"
        for name in re.findall(r"`([a-z0-9_/]+\.(?:hpp|txt|cmake))`", row):
            if not (INCLUDE / name).is_file() and not (ROOT / name).is_file():
                yield f"CONTRIBUTING.md: the row '{title}' names {name}, which does not exist"


# Text in which brackets and colons could stand: comments, raw strings, strings and characters.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                     r"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.S)


def hiding_switches(text: str) -> Iterator[int]:
    """The lines of switches that have a default and labels that are names, not numbers or characters."""
    code = NO_CODE.sub(lambda found: "0" + "\n" * found[0].count("\n"), text)
    while switches := list(re.finditer(r"\bswitch \(", code)):
        first = switches[-1].start()   # the innermost: nothing of it is left when those around it are looked at
        last = end_of(code, code.index("{", end_of(code, switches[-1].end() - 1)))
        body = code[first:last]
        if re.search(r"\bdefault\s*:(?!:)", body) and re.search(r"\bcase [A-Za-z_:]", body):
            yield code.count("\n", 0, first) + 1
        code = code[:first] + "\n" * body.count("\n") + code[last:]


HIDING = """switch (c) {  // {
  case '{': switch (type) {
    case f32: return;
    default: break;
  }
  default: {}
}"""


def check_switches() -> Iterator[str]:
    """Compilers say that an enumerator has no label: -Wswitch-enum is among the warnings of every target."""
    if list(hiding_switches(HIDING)) != [2]:
        yield f"tests/hygiene.py: finds the lines {list(hiding_switches(HIDING))} in HIDING, expected [2]"
    for file in sources():
        for line in hiding_switches(file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(ROOT)}:{line}: a switch over names has a default; it belongs after the switch"


RIDDLES = re.compile(r"\b(so many|whoever|whatever is|of (?:its|their) own|behind|beside|brings|goes on|one another's"
                     r"|as they are|those that there are|such ones)\b|/// The same\b", re.I)


def english_of(file: Path) -> Iterator[tuple[int, str]]:
    """Lines of a file without its code: comments and, outside of the library, texts; scripts are read whole."""
    is_script = file.suffix in {".py", ".sh", ".cmake", ".in", ".txt"}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        texts = [] if INCLUDE in file.parents or "#include" in line else re.findall(r'"(?:\\.|[^"\\])*"', line)
        yield number, line if is_script else " ".join([line[line.find("//"):] if "//" in line else "", *texts])


def check_english() -> Iterator[str]:
    """The words are those after which a sentence has to be read twice: it is rewritten, not the word exchanged."""
    folders = {"include", "tests", "tools", "cmake", "bench", "examples"}
    files = [f for f in of_kinds({".hpp", ".h", ".cpp", ".c", ".py", ".sh", ".cmake", ".in", ".txt"})
             if f.relative_to(ROOT).parts[0] in folders and f != Path(__file__).resolve()]
    for file in files:
        for number, text in english_of(file):
            if found := RIDDLES.search(text):
                yield f"{file.relative_to(ROOT)}:{number}: write plainly what '{found[0]}' is to say"


OPENS = re.compile(r"(?<!\w)::(open|openat|creat|fopen|freopen)\(|\b(fopen|freopen)\(|\b[io]?fstream\b")


def check_opens() -> Iterator[str]:
    programs = (ROOT / "tools" / "nnrt", ROOT / "tools" / "driverd")
    sources = headers() + [f for folder in programs for f in sorted(folder.glob("*.[ch]pp"))]
    for source in sources:
        if source == INCLUDE / "io" / "open_file.hpp":
            continue
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            if OPENS.search(line.partition("//")[0]):
                yield f"{source.relative_to(ROOT)}:{number}: opens a file; io/open_file.hpp does that"


def check_words() -> Iterator[str]:
    for file in tracked():
        name = file.relative_to(ROOT)
        if file.suffix not in TEXT or name.name == "LICENSE" or "seeds" in name.parts:
            continue
        text = file.read_text(encoding="utf-8", errors="strict")
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at the end"
        for number, line in enumerate(text.split("\n"), 1):
            where = f"{name}:{number}"
            if found := UNFINISHED.search(line):
                yield f"{where}: unfinished: {found[0]}"
            if found := SOMEBODYS_PATH.search(line):
                yield f"{where}: a path of somebody's machine: {line.strip()[:80]}"
            if line != line.rstrip() and file.suffix != ".md":
                yield f"{where}: ends with white space"
            if "\t" in line:
                yield f"{where}: a tab"


def of_kinds(suffixes: set[str]) -> list[Path]:
    """The files with these suffixes that are written by hand: single_include/ is made of others."""
    return [f for f in tracked() if f.suffix in suffixes and f.relative_to(ROOT).parts[0] != "single_include"]


def sources() -> list[Path]:
    """The files in C and C++ that are written by hand."""
    return of_kinds({".hpp", ".h", ".cpp", ".c"})


def check_columns() -> Iterator[str]:
    """clang-format does not break long words, and what a rejected program expects of a compiler is one line."""
    limit = int(re.search(r"^ColumnLimit: (\d+)$", (ROOT / ".clang-format").read_text(encoding="utf-8"), re.M)[1])
    scripts = of_kinds({".py", ".sh", ".cmake"}) + [f for f in tracked() if f.name == "CMakeLists.txt"]
    for file in sources() + scripts:
        text = file.read_text(encoding="utf-8")
        if file not in scripts:
            text = re.sub(r"^ *// clang-format off$.*?^ *// clang-format on$", lambda m: "\n" * m[0].count("\n"),
                          text, flags=re.M | re.S)
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > limit and (file in scripts or not line.startswith("// expect: ")):
                yield f"{file.relative_to(ROOT)}:{number}: {len(line)} columns, at most {limit}"


def check_format() -> Iterator[str]:
    """Other versions of clang-format break some lines elsewhere: hence tests/CMakeLists.txt asks for this version."""
    files = [str(f) for f in sources()]
    for first in range(0, len(files), 200):
        command = ["clang-format-16", "--dry-run", "-Werror", *files[first : first + 200]]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        for where in dict.fromkeys(re.findall(r"^(\S+?:\d+):\d+: error", ran.stderr, re.M)):
            yield f"{Path(where).relative_to(ROOT)}: not as clang-format-16 formats it"
        if ran.returncode != 0 and "error" not in ran.stderr:
            yield f"clang-format-16 failed: {ran.stderr[:200]}"


def check_top_level() -> Iterator[str]:
    found = {file.relative_to(ROOT).parts[0] for file in tracked()}
    for surplus in sorted(found - TOP_LEVEL - USUAL_FILES - USUAL_DOT_FILES):
        yield f"{surplus} does not belong to the top level"
    for missing in sorted(name for name in TOP_LEVEL if not (ROOT / name).exists()):
        yield f"{missing} is missing from the top level"


def check_nightly() -> Iterator[str]:
    """A script that ran no leg and ended well would be taken for a night without faults."""
    script = ROOT / "tests" / "nightly.sh"
    refused = subprocess.run(["bash", script, "no_such_leg"], capture_output=True, text=True)
    if refused.returncode != 2 or "no such leg: no_such_leg" not in refused.stderr:
        yield f"tests/nightly.sh no_such_leg: got status {refused.returncode}, expected 2 and a word about it"
    help_text = subprocess.run(["bash", script, "--help"], capture_output=True, text=True).stdout
    listed = set(re.findall(r"^  (\w+)  +\w", help_text, re.M))
    defined = set(re.findall(r"^leg_(\w+)\(\)", script.read_text(encoding="utf-8"), re.M))
    for name in sorted(listed ^ defined):
        fault = "listed but not defined" if name in listed else "defined but not listed"
        yield f"tests/nightly.sh: leg {name} is {fault}"


README_WORDS = 1500
CHANGELOG_LINES = 80  # of one version


def blocks_of(page: Path, language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
    return [text for name, text in blocks if name == language]


def programs_shown() -> Iterator[str]:
    """Programs in documents are files of examples/ without the first comment; Python code is paragraphs of scripts."""
    readme = ROOT / "README.md"
    examples = [f.read_text(encoding="utf-8").partition("#include")[2] for f in sorted(ROOT.glob("examples/*/*.cpp"))]
    scripts = "".join(f.read_text(encoding="utf-8") for f in sorted(ROOT.glob("examples/*/*.py")))
    for page in [readme, *sorted((ROOT / "docs" / "guide").glob("*.md"))]:
        for program in blocks_of(page, "cpp"):
            if re.search(r"^int main\(", program, re.M) and program.partition("#include")[2] not in examples:
                yield f"{page.relative_to(ROOT)}: its program with a main() is no file of examples/"
    for part in "".join(blocks_of(readme, "python")).split("\n\n"):
        if part.strip() not in scripts:
            yield f"README.md: no script of examples/ has these lines: {part.strip()[:60]}"


def error_shown() -> Iterator[str]:
    """README.md shows the error of the program in docs/guide/compile-time.md, which compilers are held to."""
    page = ROOT / "docs" / "guide" / "compile-time.md"
    rejected = next(block for block in blocks_of(page, "cpp") if "// expect: " in block)
    expected = re.findall(r"^// expect: (.*)$", rejected, re.M)
    shown = [block for block in blocks_of(ROOT / "README.md", "") if "graph_rejected<" in block]
    if len(shown) != 1:
        yield f"README.md shows {len(shown)} errors of compilers, not 1"
    for line in "".join(shown).splitlines():
        if line.startswith("graph_rejected<") and not all(re.search(words, line) for words in expected):
            yield f"README.md: docs/guide/compile-time.md expects another error than {line}"
        elif line and not line.startswith("graph_rejected<") and line.split("//")[0].strip() not in rejected:
            yield f"README.md: docs/guide/compile-time.md has no line {line.split('//')[0].strip()}"


def length() -> Iterator[str]:
    words = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    if words > README_WORDS:
        yield f"README.md has {words} words, at most {README_WORDS}; docs/guide/ has room"
    versions = re.split(r"^(?=## )", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    for version in versions:
        lines = version.count("\n")
        if lines > CHANGELOG_LINES:
            yield f"CHANGELOG.md: {version.splitlines()[0]} has {lines} lines, at most {CHANGELOG_LINES}"


MARK = re.compile(r"^ *//.*\S (?:nightly|expect|flags|errors): ")


def check_marks() -> Iterator[str]:
    """What tests say to the scripts that run them begins a line of comment: within a sentence it is not read."""
    for file in sources():
        if file.relative_to(ROOT).parts[0] == "tests":
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if MARK.match(line):
                    yield f"{file.relative_to(ROOT)}:{number}: a mark must begin its line: {line.strip()[:80]}"


def check_readme() -> Iterator[str]:
    """README.md counts the operators, and lists those without kernels, as the generated pages of docs/operators/ do."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "operators").glob("*.md")}
    of_nnrt = {name: text for name, text in pages.items() if re.search(r"^NNRt \d+", text, re.M)}
    if f"networks of {len(of_nnrt)} operators" not in readme:
        yield f"README.md does not speak of {len(of_nnrt)} operators"
    told = re.search(r"the operators (.*?)\s+run\s+their references", readme, re.S)
    listed = set(re.findall(r"\w+", told[1])) - {"and"} if told else set()
    plain = {name for name, text in of_nnrt.items() if "\n- kernels: the reference\n" in text}
    for name in sorted(listed ^ plain):
        yield f"README.md: {name} is {'not ' if name in listed else ''}an operator without kernels"
    yield from length()
    yield from programs_shown()
    yield from error_shown()


DESIGN_WORDS = 4000


def check_design() -> Iterator[str]:
    words = len((ROOT / "docs" / "design.md").read_text(encoding="utf-8").split())
    if words > DESIGN_WORDS:
        yield f"docs/design.md: {words} words, at most {DESIGN_WORDS}: move details to docs/design/ or docs/kernels/"


def check_glossary() -> Iterator[str]:
    terms_part = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("\n## Renames\n")[0]
    terms = [term.lower() for term in re.findall(r"^\| ([^|]+?) \|", terms_part, re.M)[1:]]   # after the titles
    for before, after in zip(terms, terms[1:]):
        if before >= after:
            yield f"docs/glossary.md: '{after}' follows '{before}': terms stand once, in alphabetical order"
    if not terms:
        yield "docs/glossary.md: no table of terms before the renames"


def prose_of(page: Path) -> str:
    """The page without blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def anchors_of(page: Path) -> set[str]:
    """What follows the # in links into the page: its headings, as repository hosts spell them, and explicit anchors."""
    prose, anchors, given = prose_of(page), set(), {}
    for heading in re.findall(r"^#+ +(.*?)\s*(?:\{#.*\})?$", prose, re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        anchors.add(f"{anchor}-{given[anchor]}" if anchor in given else anchor)
        given[anchor] = given.get(anchor, 0) + 1
    return anchors | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", prose))


def check_links() -> Iterator[str]:
    for page in (file for file in tracked() if file.suffix == ".md"):
        prose = re.sub(r"`[^`\n]*`", "", prose_of(page))
        for link in re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", prose):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if re.match(r"[a-z]+:", link):
                continue   # an address
            if not target.exists():
                yield f"{page.relative_to(ROOT)}: there is no {link}"
            elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
                yield f"{page.relative_to(ROOT)}: {name or 'it'} has no heading for #{anchor}"


def rules_of(operator: str) -> list[str]:
    """The enumerators of an operator's rules; several operators may share an enumeration of ops/detail."""
    shared = re.search(r"using rule = (?:\w+::)*(\w+);", operator)
    name = shared[1] if shared else "rule"
    texts = [f.read_text(encoding="utf-8") for f in (INCLUDE / "ops").rglob("*.hpp")] if shared else [operator]
    for text in texts:
        if body := re.search(rf"enum class {name}\s*\{{(.*?)\}}", text, re.S):
            return re.findall(r"\b[a-z]\w*\b", re.sub(r"//.*", "", body[1]))
    return []


def end_of(text: str, first: int) -> int:
    """The place after the bracket that closes the one at `first`."""
    opening = text[first]
    closing, depth = {"(": ")", "{": "}"}[opening], 0
    for place in range(first, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if depth == 0:
            return place + 1
    return len(text)


def functions_of(text: str) -> list[tuple[str, str]]:
    """Name and body of each constexpr function and lambda of a test."""
    head = re.compile(r"\bconstexpr\b[^;{}()=]*?\b(\w+)\((?:[^;{}]|\{\})*?\)[^;{}()]*\{"
                      r"|\bconstexpr auto (\w+) = \[[^;{}]*\{")
    return [(m[1] or m[2], text[m.end() - 1 : end_of(text, m.end() - 1)]) for m in head.finditer(text)]


def runs_reference_in_compiler(test: str, shared: str) -> bool:
    """Whether a static_assert of the test calls the reference, itself or through functions of the tests."""
    running = {"run", "reference", "run_reference"}
    functions = functions_of(test) + functions_of(shared)

    def calls(text: str) -> bool:
        called = re.findall(r"(\.?)\b(\w+)\s*[<(]", text)
        return any(name in running and (not dot or name == "run") for dot, name in called)

    while new := {name for name, body in functions if name not in running and calls(body)}:
        running |= new
    return any(calls(test[m.end() - 1 : end_of(test, m.end() - 1)]) for m in re.finditer(r"\bstatic_assert\(", test))


def check_operators() -> Iterator[str]:
    list_file = INCLUDE / "ops" / "list.hpp"
    listed = set(included(list_file)) if list_file.is_file() else set()
    members = re.search(r"using list = type_list<([^>]*)>", list_file.read_text(encoding="utf-8"))
    in_list = set(re.findall(r"\w+", members[1])) if members else set()
    selected = set(included(INCLUDE / "kernels" / "select.hpp"))
    for binding in sorted((INCLUDE / "kernels" / "bind").glob("*.hpp")):
        if f"nnrt/kernels/bind/{binding.name}" not in selected:
            yield f"{binding.relative_to(ROOT)} is not in kernels/select.hpp: its operator would run the reference"
    rejected = {f.name for f in (ROOT / "tests" / "compile_fail").glob("*.cpp")}
    shared = "".join(f.read_text(encoding="utf-8") for f in sorted((ROOT / "tests" / "support").glob("*.hpp")))
    bounds = sorted((ROOT / "tests" / "kernels").glob("bounds*_test.cpp"))
    measured = "".join(f.read_text(encoding="utf-8") for f in bounds)
    for header in sorted((INCLUDE / "ops").glob("*.hpp")):
        text = header.read_text(encoding="utf-8")
        if "static constexpr op_code code{" not in text:
            continue   # not an operator: what several of them share
        name, stem, rules = header.relative_to(ROOT), header.stem, rules_of(text)
        if listed and f"nnrt/ops/{header.name}" not in listed:
            yield f"{name} is not included by ops/list.hpp"
        if stem not in in_list:
            yield f"{name}: {stem} does not stand in the list of ops/list.hpp"
        if rules and not any(file == f"{stem}.cpp" or file.startswith(f"{stem}_") for file in rejected):
            yield f"{name} has no tests/compile_fail/{stem}_<rule>.cpp"
        if "error_bound errors[]" in text and f"<ops::{stem}>" not in measured:
            yield f"{name} states a bound of its errors that no tests/kernels/bounds*_test.cpp measures"
        test = ROOT / "tests" / "ops" / f"{stem}_test.cpp"
        if not test.is_file():
            yield f"{name} has no {test.relative_to(ROOT)}"
            continue
        tested = test.read_text(encoding="utf-8")
        if not runs_reference_in_compiler(tested, shared):
            yield f"{test.relative_to(ROOT)} has no static_assert that runs the reference"
        for rule in rules:
            if not re.search(rf"rule::{rule}\b", tested):
                yield f"{test.relative_to(ROOT)} has no row for rule {rule}"


CHECKS = {name.removeprefix("check_"): f for name, f in list(globals().items()) if name.startswith("check_")}


def main() -> int:
    wanted = sys.argv[1:] or list(CHECKS)
    if unknown := [name for name in wanted if name not in CHECKS]:
        is_asked = unknown[0] in ("-h", "--help")
        print(f"usage: tests/hygiene.py [CHECK...], all of them without: {', '.join(CHECKS)}",
              file=sys.stdout if is_asked else sys.stderr)
        return 0 if is_asked else 2
    faults = [fault for name in wanted for fault in CHECKS[name]()]
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
