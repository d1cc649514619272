"""wasm.py: tests of kernels compiled for WebAssembly, with and without SIMD128, and run in Node.

Flow: tests/CMakeLists.txt registers it as the test kernels/wasm.<instruction set>.

    wasm.py ISA FOLDER COMPILER INCLUDE_DIRECTORIES...

FOLDER: where objects and the program go. The packages are those of `nightly` in tools/packages.sh: without them the
test fails.
"""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 2
LIBCXX = "/usr/include/wasm32-wasi/c++/v1"  # clang 16 looks elsewhere where there is another libc++

PRODUCTS = ["int8/gemm/gemm", "int8/gemm/row", "int8/gemm/values", "int8/gemm/weights", "int8/requantise/output_stage"]
TESTS = {
    "generic": ["simd/machine", "simd/dot4", *PRODUCTS],
    "simd128": ["simd/machine", "simd/dot4", "simd/lane_math", "simd/lanes", "f32/gemm/gemm", "f32/gemm/dot_rows",
                "f32/depthwise/depthwise", "int8/elementwise/table", "softmax/addends", "softmax/softmax", *PRODUCTS],
}
FLAGS = {"generic": [], "simd128": ["-msimd128"]}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(command: list) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> int:
    isa, folder, compiler, includes = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    folder.mkdir(parents=True, exist_ok=True)
    cxx = [compiler, "--target=wasm32-wasi", "-isystem", LIBCXX, "-std=c++20", "-O1", "-UNDEBUG", *FLAGS[isa]]
    macros = run([*cxx, "-x", "c++", "-E", "-dM", ROOT / "include/nnrt/core/config.hpp"])
    if f"#define NNRT_ISA {isa}\n" not in macros:
        sys.exit(f"{' '.join(FLAGS[isa])} does not select the instruction set {isa}")

    cxx += ["-fno-exceptions", "-fno-rtti", "-DDOCTEST_CONFIG_NO_EXCEPTIONS_BUT_WITH_ALL_ASSERTS",
            "-DDOCTEST_CONFIG_NO_POSIX_SIGNALS", "-DDOCTEST_CONFIG_NO_MULTITHREADING", "-D_WASI_EMULATED_SIGNAL",
            f"-I{ROOT / 'include'}", f"-I{ROOT / 'tests'}"]
    cxx += [word for include in includes for word in ("-idirafter", include)]

    def compiled(source: Path) -> Path:
        made = folder / ("_".join(source.relative_to(ROOT / "tests").with_suffix(".o").parts))
        run([*cxx, *([] if source.name == "main.cpp" else WARNINGS), "-c", source, "-o", made])
        return made

    sources = [ROOT / "tests/main.cpp", *(ROOT / "tests/kernels" / f"{name}_test.cpp" for name in TESTS[isa])]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        objects = list(pool.map(compiled, sources))
    program = folder / "kernels.wasm"
    # The stack before the data: an overflow then traps; after it, as the linker has it, it overwrites data.
    run([*cxx, *objects, "-Wl,-z,stack-size=1048576", "-Wl,--stack-first", "-o", program])
    return subprocess.run(["node", "--no-warnings", "--experimental-wasi-unstable-preview1",
                           ROOT / "tests/support/wasi.mjs", program, "--no-intro"]).returncode


sys.exit(main())
