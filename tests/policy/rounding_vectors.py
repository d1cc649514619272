"""rounding_vectors.py: golden numbers of how an accelerator rounds, from the formulas alone, in exact fractions.

Flow: python3 tests/policy/rounding_vectors.py > tests/policy/rounding_vectors.hpp; rounding_test.cpp tests the library
against them.

The formulas: q = clip(nearbyint(x / scale + zero_point)), division and sum in float, halves to even; of an accumulator
q = clip(nearbyint(accumulator * mantissa * 2^(exponent - 31) + zero_point)), exact up to the one rounding; of two
tensors the same of the sum of both products. A power of two as scale is a shift. Of a convolution and a sum as one unit
q = clip(nearbyint((accumulator + nearbyint(addend * m)) * M)), m and M the factors with mantissas of 31 bits.
"""
import random
import struct
from fractions import Fraction


def to_float(x: Fraction) -> Fraction:
    """The nearest number of 24 binary digits, halves to even; the exponents here are far from float's ends."""
    if x == 0:
        return x
    exponent = 0
    while abs(x) >= Fraction(2) ** (exponent + 24):
        exponent += 1
    while abs(x) < Fraction(2) ** (exponent + 23):
        exponent -= 1
    unit = Fraction(2) ** exponent
    return round(x / unit) * unit  # Fraction rounds halves to even


def as_float(text: float) -> Fraction:
    return Fraction(struct.unpack("f", struct.pack("f", text))[0])


def clip(q: int, bits: int) -> int:
    return max(-(1 << bits - 1), min((1 << bits - 1) - 1, q))


def mantissa_of(factor: Fraction) -> tuple[int, int]:
    """mantissa in [2^30, 2^31), halves away from zero, and exponent: factor = mantissa * 2^(exponent - 31)."""
    exponent = 0
    while factor >= Fraction(2) ** exponent:
        exponent += 1
    while factor < Fraction(2) ** (exponent - 1):
        exponent -= 1
    mantissa = int(factor * Fraction(2) ** (31 - exponent) + Fraction(1, 2))
    return (mantissa // 2, exponent + 1) if mantissa == 1 << 31 else (mantissa, exponent)


def stored_rows(random_of: random.Random) -> list[str]:
    rows = []
    for scale in (1.0, 0.5, 0.0625, 0.1, 0.3, 2.557 / 127):
        for zero_point in (0, 1, -7):
            numbers = [k * scale for k in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, 126.5, 127.5, -128.5, 1e6)]
            numbers += [random_of.uniform(-140, 140) * scale for _ in range(6)]
            for x in numbers:
                s, value = as_float(scale), as_float(x)
                q = round(to_float(to_float(value / s) + zero_point))
                rows.append(f"{{{float(value)!r}F, {float(s)!r}F, {zero_point}, {clip(q, 8)}, {clip(q, 16)}}}")
    return rows


def requantised_rows(random_of: random.Random) -> list[str]:
    rows = []
    for factor in (Fraction(1, 2), Fraction(1, 64), Fraction(3, 4), Fraction(1, 3), Fraction(1, 1 << 20),
                   Fraction(5, 2), Fraction(1, 1 << 31)):
        mantissa, exponent = mantissa_of(factor)
        exact = mantissa * Fraction(2) ** (exponent - 31)
        for zero_point in (0, 5):
            sums = [0, 1, -1, 31, 32, 33, -32, 96, -96, 160, (1 << 31) - 1, -(1 << 31)]
            sums += [random_of.randint(-20000, 20000) for _ in range(6)]
            sums += [int(Fraction(2 * k + 1, 2) / factor) for k in (-3, -2, -1, 0, 1, 2)]
            for total in sums:
                total = max(-(1 << 31), min((1 << 31) - 1, total))
                q = round(total * exact + zero_point)
                row = f"{{{total}, {{{mantissa}, {exponent}}}, {zero_point}, {clip(q, 8)}, {clip(q, 16)}}}"
                rows.append(row.replace("{-2147483648,", "{-2147483647 - 1,"))
    return rows


def sum_rows(random_of: random.Random) -> list[str]:
    rows = []
    for a_scale, b_scale, y_scale in ((0.5, 0.25, 1.0), (0.03125, 0.0625, 0.0625), (0.1, 0.3, 0.2)):
        fa, fb = as_float(a_scale) / as_float(y_scale), as_float(b_scale) / as_float(y_scale)
        mantissa, exponent = mantissa_of(max(fa, fb))
        unit = Fraction(2) ** (exponent - 31)
        ma, mb = (mantissa if f == max(fa, fb) else int(f / max(fa, fb) * mantissa + Fraction(1, 2)) for f in (fa, fb))
        pairs = [(1, 0), (0, 1), (1, 1), (-1, 3), (127, 127), (-128, -128)]
        pairs += [(random_of.randint(-128, 127), random_of.randint(-128, 127)) for _ in range(20)]
        for a, b in pairs:
            stored = clip(round((a * ma + b * mb) * unit), 8)
            rows.append(f"{{{a_scale!r}F, {b_scale!r}F, {y_scale!r}F, {a}, {b}, {stored}}}")
    return rows


def unit_rows(random_of: random.Random) -> list[str]:
    rows = []
    for x_scale, w_scale, r_scale, y_scale in ((0.5, 0.25, 0.5, 1.0), (0.03125, 0.0078125, 0.0625, 0.0625),
                                               (0.1, 0.013, 0.3, 0.27), (0.02, 0.004, 1e-6, 0.05),
                                               (0.7, 0.9, 0.11, 3.0)):
        of_sums = as_float(x_scale) * as_float(w_scale)
        (m, e), (big_m, big_e) = mantissa_of(as_float(r_scale) / of_sums), mantissa_of(of_sums / as_float(y_scale))
        small, large = m * Fraction(2) ** (e - 31), big_m * Fraction(2) ** (big_e - 31)
        sums = [0, 1, -1, 2, 3, -3, 100] + [random_of.randint(-20000, 20000) for _ in range(8)]
        sums += [int(Fraction(2 * k + 1, 2) / large) for k in (-2, -1, 0, 1)]
        for total in sums:
            addend = random_of.choice([0, 1, -1, 3, 127, -128, random_of.randint(-128, 127)])
            for is_rectified in (False, True):
                q = round((total + round(addend * small)) * large)
                scales = ", ".join(f"{scale!r}F" for scale in (x_scale, w_scale, r_scale, y_scale))
                stored = max(0 if is_rectified else -128, min(127, q))
                rows.append(f"{{{scales}, {total}, {addend}, {str(is_rectified).lower()}, {stored}}}")
    return rows


def table(name: str, kind: str, rows: list[str]) -> str:
    pairs = [", ".join(rows[i : i + 2]) for i in range(0, len(rows), 2)]
    columns = 120 - len("    ,")
    lines = "\n".join("    " + (pair if len(pair) <= columns else pair.replace("}, {", "},\n    {")) + ","
                      for pair in pairs)
    return f"inline constexpr {kind} {name}[] = {{\n{lines}\n}};\n"


def main() -> None:
    random_of = random.Random(5)
    print("// rounding_vectors: golden numbers that rounding_vectors.py computed; not edited by hand.\n#pragma once\n")
    print("#include <nnrt/core/requantise.hpp>\n\nnamespace nnrt_test {\n")
    print("/// A real number, its scale and zero point, and what is stored in 8 and in 16 bits.")
    print("struct stored_row {\n  float x, scale;\n  int zero_point, i8, i16;\n};")
    print("/// A sum, its factor, a zero point, and what is stored in 8 and in 16 bits.")
    print("struct requantised_row {\n  std::int32_t sum;\n  nnrt::fixed_point factor;\n  int zero_point, i8, i16;\n};")
    print("/// Scales of a, b and their sum, two quantised values, and what is stored.")
    print("struct sum_row {\n  float a_scale, b_scale, y_scale;\n  int a, b, y;\n};")
    print("/// Scales of a convolution's input and weight, of an addend and of the result;"
          " a sum, a stored addend, whether relu is")
    print("/// fused, and what is stored.")
    print("struct unit_row {\n  float x_scale, w_scale, addend_scale, y_scale;\n  int sum, addend;\n"
          "  bool is_rectified;\n  int y;\n};\n")
    print("// clang-format off\n")
    print(table("stored_rows", "stored_row", stored_rows(random_of)))
    print(table("requantised_rows", "requantised_row", requantised_rows(random_of)))
    print(table("sum_rows", "sum_row", sum_rows(random_of)))
    print(table("unit_rows", "unit_row", unit_rows(random_of)))
    print("// clang-format on\n")
    print("}  // namespace nnrt_test")


if __name__ == "__main__":
    main()
