"""programs.py: the translation units whose cost is measured - empty, headers alone, networks, generated graphs.

Flow: measure.py compiles them, with nnrt's include/ and bench/ on the include path.
"""
from pathlib import Path

EMPTY = "int main() {}\n"


def including(header: str) -> str:
    """A header and nothing else."""
    return f"#include <{header}>\n{EMPTY}"


def running(header: str, network: str) -> str:
    """What a user writes to run a network: weights of a file, an executor, one run."""
    return f"""#include "{header}"

#include <cstdio>
#include <vector>

using net = nnrt::graph<{network}>;

int main(int argc, char** argv) {{
  const auto file = nnrt::weights::open(argc > 1 ? argv[1] : "weights.safetensors");
  if (!file) return 1;
  auto run = nnrt::executor<net>::create(*file);
  if (!run) return 1;
  const std::vector<float> x(static_cast<std::size_t>(net::inputs[0].desc.elements()), 0.5F);
  std::printf("%f\\n", static_cast<double>((*run)(x)[0]));
}}
"""


def of_file(literal: Path) -> str:
    """What a user writes to run the network of a model file, whose bytes are in this text under the name `network`."""
    return f"""#include "{literal}"

#include <nnrt/model.hpp>

#include <array>
#include <tuple>
#include <utility>

NNRT_MODEL(network, "network");
using net = nnrt::graph<network>;

template <std::size_t... I> int run_once(std::index_sequence<I...>) {{
  static std::tuple<std::array<nnrt::element_t<net::inputs[I].desc.type>,
                               static_cast<std::size_t>(net::inputs[I].desc.elements())>...> x;
  auto run = nnrt::executor<net>::create();
  if (!run) return 1;
  (*run)(std::get<I>(x)...);
  return 0;
}}

int main() {{ return run_once(std::make_index_sequence<net::inputs.size()>()); }}
"""


# One block of a generated graph: eight nodes that keep the shape of x, so that blocks follow each other without end.
BLOCK = """
  auto a{i} = nnrt::layers::conv2d<{c}, 1, 1>({x}, "a{i}", nnrt::relu);
  auto b{i} = nnrt::layers::depthwise_conv2d<3, 3>(a{i}, "b{i}", nnrt::same);
  auto c{i} = nnrt::relu6(b{i});
  auto d{i} = nnrt::layers::conv2d<16, 1, 1>(c{i}, "d{i}");
  auto e{i} = {x} + d{i};
  auto f{i} = max_pool(e{i}, nnrt::kernel<3, 3>, nnrt::stride<1, 1>, nnrt::same);
  auto g{i} = nnrt::hswish(f{i});
  auto h{i} = g{i} * 0.5F;"""


def generated(nodes: int) -> str:
    """A network of `nodes` nodes, as straight code: convolutions, depthwise ones, activations, shortcuts, pools."""
    blocks = [BLOCK.format(i=i, c=16 + 8 * (i % 6), x="x" if i == 0 else f"h{i - 1}") for i in range((nodes + 7) // 8)]
    lines = "\n".join(blocks).strip("\n").splitlines()
    lines = [line for line in lines if line][:nodes]
    last = lines[-1].split()[1]
    body = "\n".join(lines)
    return f"""#include <nnrt/nnrt.hpp>

#include <cstdio>
#include <vector>

constexpr auto generated = [](nnrt::builder& g) {{
  auto x = g.input<nnrt::f32, nnrt::shape<1, 16, 16, 16>>("x");
{body}
  g.output("y", {last});
}};
""" + running("nnrt/nnrt.hpp", "generated").split("\n", 4)[4]


MICRO = """#include <nnrt/nnrt.hpp>

#include <array>

// In and out of a volatile, so that the compiler computes nothing beforehand.
constexpr auto micro = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto w = g.constant<nnrt::f32, nnrt::shape<2, 4>>({1, 2, 3, 4, 5, 6, 7, 8});
  auto b = g.constant<nnrt::f32, nnrt::shape<2>>({0.5F, -0.5F});
  g.output("y", nnrt::full_connection(x, w, b, nnrt::relu));
};

int main() {
  volatile float one = 1;
  nnrt::executor<nnrt::graph<micro>> run;
  return run(std::array{float{one}, 0.0F, 0.0F, 1.0F})[0] == 5.5F ? 0 : 1;
}
"""


def public_headers(include: Path) -> list[str]:
    """The headers that stand directly in include/nnrt, which is what users include."""
    return sorted(f"nnrt/{header.name}" for header in (include / "nnrt").glob("*.hpp"))
