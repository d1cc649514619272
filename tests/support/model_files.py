#!/usr/bin/env python3
"""model_files.py: model files give the same bytes whether the compiler reads them or a program does.

Flow: tests/CMakeLists.txt registers it for the files that are there; it compiles one program for each.

    model_files.py --writer PROGRAM --runner PROGRAM --source FILE [--changed N] [--every N] [--large]
                   FOLDER-OR-FILE... -- COMPILER FLAGS...

Each file is run by RUNNER, which reads it at run time, and by SOURCE, compiled with what WRITER makes of it. A file
that RUNNER refuses must be a compile error with the same words. Extents that an .onnx file does not know are those of
set0_input_<i>.npy in its folder, else 1. --large tries each file another time with 1 MiB of zeros that readers skip.
--changed N also tries N copies of each file with one byte changed, and --every N copies that are cut at every N-th
byte: the compiler may refuse them or give a network, but it may neither crash nor take longer than a minute.
"""
import argparse
import ast
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST = 240  # seconds that a compiler may take for a file
LONGEST_FOR_CHANGED = 60


def words(text: str) -> str:
    """Letters and digits alone: compilers part and escape what they print."""
    return re.sub(r"[^A-Za-z0-9]", "", text)


def reason_in(fault: str) -> str:
    """The pieces of `reason<…>` in what a compiler said, joined."""
    found = re.search(r"reason<(.*?)>\s*>", fault, re.S)
    return "".join(re.findall(r'\{"((?:[^"\\]|\\.)*)"\}', found.group(1))) if found else ""


def shape_of_npy(path: Path) -> list:
    """The extents in the header of a NumPy file."""
    content = path.read_bytes()
    size = int.from_bytes(content[8:10], "little")
    return list(ast.literal_eval(content[10:10 + size].decode().strip())["shape"])


def with_zeros(content: bytes, suffix: str) -> bytes:
    """The file with 1 MiB of zeros: after a FlatBuffer, or as the text (doc_string) of an ONNX model."""
    zeros = bytes(1 << 20)
    return content + zeros if suffix == ".tflite" else content + b"\x32\x80\x80\x40" + zeros


class Checker:
    def __init__(self, arguments, compiler, folder):
        self.arguments, self.compiler, self.folder, self.wrong = arguments, compiler, folder, []

    def complain(self, name, what):
        print(f"{name}: {what}", flush=True)
        self.wrong.append(name)

    def shapes(self, model: Path, folder: Path) -> dict:
        """The shapes of inputs whose extents an .onnx file does not know."""
        if model.suffix != ".onnx":
            return {}
        said = subprocess.run([self.arguments.runner, "--inputs", model], capture_output=True, text=True).stdout
        shapes = {}
        for i, line in enumerate(said.splitlines()):
            extents, _, name = line.partition(" ")
            known, example = [int(e) for e in extents.split(",") if e], folder / f"set0_input_{i}.npy"
            if -1 in known:
                shapes[name] = shape_of_npy(example) if example.exists() else [max(e, 1) for e in known]
        return shapes

    def compile(self, model: Path, further, seconds, shapes=None):
        """The compiler's exit code and what it said; None for a file that is not even of a known format."""
        literal = self.folder / "network.inc"
        written = subprocess.run([self.arguments.writer, model, "-o", literal, "--name", "network", "--path", model,
                                  "--quiet"], capture_output=True, text=True)
        if written.returncode != 0:
            return None
        command = [*self.compiler, f'-DMODEL_BYTES="{literal}"', *further, self.arguments.source]
        if shapes:
            listed = ", ".join(f'{{"{name}", {{{", ".join(map(str, shape))}}}}}' for name, shape in shapes.items())
            command.append(f"-DMODEL_OPTIONS=, {{.shapes = {{{listed}}}}}")
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        return done.returncode, done.stderr

    def check_same(self, model: Path, name: str, folder: Path):
        shapes = self.shapes(model, folder)
        given = [f"{one}={','.join(map(str, shape))}" for one, shape in shapes.items()]
        ran = subprocess.run([self.arguments.runner, model, *given], capture_output=True, text=True)
        program = self.folder / "program"
        compiled = self.compile(model, ["-pthread", "-o", str(program)], LONGEST, shapes)
        if compiled is None:
            if ran.returncode != 3:
                self.complain(name, "is no model to the writer of literals, but a program reads it")
            return
        code, said = compiled
        if ran.returncode == 3:
            reason = reason_in(said)
            if code == 0 or not reason or not words(ran.stdout).startswith(words(reason)[:400]):
                self.complain(name, f"a program says: {ran.stdout.strip()}\n"
                                    f"and the compiler ({code}): {reason or said[:2000]}")
            else:
                print(f"{name}: refused alike: {ran.stdout.strip()}", flush=True)
            return
        if code != 0:
            self.complain(name, f"the compiler does not take it: {said[:3000]}")
            return
        static = subprocess.run([program], capture_output=True, text=True)
        if static.returncode != 0 or static.stdout != ran.stdout or not static.stdout:
            self.complain(name, f"outputs differ: {static.stdout[:200]} instead of {ran.stdout[:200]}")
        else:
            print(f"{name}: the same {sum(map(len, static.stdout.split())) // 2} bytes", flush=True)

    def check_harmless(self, content: bytes, name: str, of: Path):
        shapes = self.shapes(of, of.parent)
        model = self.folder / f"changed{of.suffix}"
        model.write_bytes(content)
        try:
            compiled = self.compile(model, ["-fsyntax-only"], LONGEST_FOR_CHANGED, shapes)
        except subprocess.TimeoutExpired:
            self.complain(name, f"the compiler takes longer than {LONGEST_FOR_CHANGED} s")
            return
        if compiled is None or compiled[0] == 0:
            return
        code, said = compiled
        if code < 0 or "internal compiler error" in said or "PLEASE submit a bug report" in said:
            self.complain(name, f"the compiler crashed: {said[:2000]}")
        elif "graph_rejected<" not in said:
            self.complain(name, f"refused without a reason of ours: {said[:2000]}")


def main() -> int:
    own, _, compiler = "\0".join(sys.argv[1:]).partition("\0--\0")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writer", required=True, help="program that writes literals")
    parser.add_argument("--runner", required=True, help="program that runs files")
    parser.add_argument("--source", required=True, help="in_the_compiler.cpp")
    parser.add_argument("--changed", type=int, default=0, metavar="N",
                        help="files with one byte changed, for each file")
    parser.add_argument("--every", type=int, default=0, metavar="N", help="cut each file at every N-th byte")
    parser.add_argument("--large", action="store_true", help="try each file with 1 MiB of zeros after it, too")
    parser.add_argument("--seed", type=int, default=1, help="chooses the changed bytes")
    parser.add_argument("models", nargs="+", type=Path)
    arguments = parser.parse_args(own.split("\0"))
    files = sorted(f for place in arguments.models for f in
                   ([*place.rglob("*.tflite"), *place.rglob("*.onnx")] if place.is_dir() else [place]))
    if not files:
        print(f"skipped: no models in {', '.join(map(str, arguments.models))}")
        return 0
    dice = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(arguments, compiler.split("\0"), Path(folder))
        for model in files:
            content = model.read_bytes()
            name = model.name if model.name != "model.onnx" else f"{model.parent.name}/{model.name}"
            checker.check_same(model, name, model.parent)
            if arguments.large:
                large = Path(folder) / f"large{model.suffix}"
                large.write_bytes(with_zeros(content, model.suffix))
                checker.check_same(large, f"{name}, larger", model.parent)
            for i in range(arguments.changed):
                at, byte = dice.randrange(len(content)), dice.randrange(1, 256)
                checker.check_harmless(content[:at] + bytes([content[at] ^ byte]) + content[at + 1:],
                                       f"{name}, byte {at} changed by {byte}", model)
            for size in range(arguments.every, len(content), arguments.every) if arguments.every else []:
                checker.check_harmless(content[:size], f"{name}, cut at byte {size}", model)
    print(f"{len(files)} files, {len(checker.wrong)} wrong")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
