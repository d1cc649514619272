"""accepted.py: compiles a program as the README tells its readers to, runs it, and looks at what it links.

Flow: tests/CMakeLists.txt registers each file of tests/acceptance, and each program of README.md, through
nnrt_add_acceptance().

    accepted.py SOURCE SCRATCH_DIRECTORY COMPILER FLAGS...

SOURCE is a C++ file, or a Markdown file whose ```cpp blocks with a main() are programs. A line `// flags: ...` among
the first ten of a program adds flags; {here} stands for the folder of SOURCE. A program is accepted when it compiles
without a word, exits with 0, and links no library but those that every C++ program links.
"""
import re
import subprocess
import sys
from pathlib import Path

EVERY_PROGRAM_LINKS = {"libc", "libm", "libgcc_s", "libstdc++", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}


def programs(source: Path) -> list[tuple[str, str]]:
    text = source.read_text(encoding="utf-8")
    if source.suffix != ".md":
        return [(source.stem, text)]
    blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S)
    return [(f"block{i}", b) for i, b in enumerate(blocks) if re.search(r"\bint main\(", b)]


def linked(binary: Path) -> set[str]:
    dynamic = subprocess.run(["readelf", "-d", str(binary)], capture_output=True, text=True).stdout
    return {name.split(".so")[0] for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)}


def refusal(name: str, text: str, source: Path, scratch: Path, command: list[str]) -> str:
    """Why the program is not accepted; empty when it is."""
    flags = re.search(r"^// flags: (.*)$", "\n".join(text.splitlines()[:10]), re.M)
    extra = [word.replace("{here}", str(source.parent)) for word in flags.group(1).split()] if flags else []
    file = source
    if source.suffix == ".md":
        file = scratch / f"{name}.cpp"
        file.write_text(text, encoding="utf-8")
    binary = scratch / name
    archives = [word for word in command if word.endswith(".a")]  # linkers look into them for what came before
    built = subprocess.run([*command, *extra, str(file), *archives, "-o", str(binary)], capture_output=True, text=True)
    if built.returncode != 0 or built.stderr:
        return f"{name} does not compile cleanly:\n" + "\n".join(built.stderr.splitlines()[:60])
    ran = subprocess.run([str(binary)], capture_output=True, text=True, cwd=scratch)
    if ran.returncode != 0:
        return f"{name} exits with {ran.returncode}:\n{ran.stdout}{ran.stderr}"
    if surplus := linked(binary) - EVERY_PROGRAM_LINKS:
        return f"{name} links {', '.join(sorted(surplus))}"
    return ""


def main() -> int:
    source, scratch, command = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    scratch.mkdir(parents=True, exist_ok=True)
    found = programs(source)
    refusals = [r for name, text in found if (r := refusal(name, text, source, scratch, command))]
    if not found:
        refusals = [f"{source.name} holds no program"]
    print("\n".join(refusals))
    return 1 if refusals else 0


sys.exit(main())
