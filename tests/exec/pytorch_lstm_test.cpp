// pytorch_lstm: networks with lstm on PyTorch state dicts give what PyTorch's equations give, or are refused with the
// reason.
#include <nnrt/io/make_weights.hpp>
#include <nnrt/ir/layers.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/ops/unsqueeze.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

/// A state dict as PyTorch writes one, and its layers computed by PyTorch's equations:
/// a = W x + b_ih + U h + b_hh, rows i, f, g, o;  c' = s(f) c + s(i) tanh(g);  h' = s(o) tanh(c').
class state_dict {
 public:
  state_dict& tensor(const std::string& name, const shape_t& shape) {
    std::vector<float> elements;
    for (std::int64_t i = 0; i < shape.elements(); ++i) elements.push_back(next());
    names_.push_back(name), shapes_.push_back(shape), tensors_.push_back(std::move(elements));
    return *this;
  }
  /// nn.LSTM(inputs, hidden) of one layer, one direction.
  state_dict& lstm(const std::string& name, const std::string& suffix, std::int64_t inputs, std::int64_t hidden) {
    tensor(name + ".weight_ih_" + suffix, {4 * hidden, inputs})
        .tensor(name + ".weight_hh_" + suffix, {4 * hidden, hidden});
    return tensor(name + ".bias_ih_" + suffix, {4 * hidden}).tensor(name + ".bias_hh_" + suffix, {4 * hidden});
  }
  weights file(layout order = layout::pytorch) const {
    std::vector<tensor_entry> entries;
    for (std::size_t i = 0; i < names_.size(); ++i)
      entries.push_back(tensor_of<float>(names_[i], shapes_[i], tensors_[i]));
    return *make_weights(entries, {}, order);
  }
  const std::vector<float>& operator[](const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return tensors_[i];
    FAIL("no tensor ", name);
    return tensors_[0];
  }
  /// The outputs of one direction of a layer over x [steps, inputs], a batch of one.
  std::vector<double> run(const std::string& name, const std::string& suffix, const std::vector<double>& x,
                          std::size_t inputs, std::size_t hidden, bool is_reverse) const {
    const auto& w = (*this)[name + ".weight_ih_" + suffix];
    const auto& u = (*this)[name + ".weight_hh_" + suffix];
    const auto& b = (*this)[name + ".bias_ih_" + suffix];
    const auto& d = (*this)[name + ".bias_hh_" + suffix];
    const std::size_t steps = x.size() / inputs;
    std::vector<double> h(hidden), c(hidden), y(steps * hidden);
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t t = is_reverse ? steps - 1 - step : step;
      const std::vector<double> before = h;
      for (std::size_t n = 0; n < hidden; ++n) {
        std::array<double, 4> a{};
        for (std::size_t gate = 0; gate < 4; ++gate) {
          const std::size_t row = gate * hidden + n;
          a[gate] = double{b[row]} + double{d[row]};
          for (std::size_t k = 0; k < inputs; ++k) a[gate] += double{w[row * inputs + k]} * x[t * inputs + k];
          for (std::size_t k = 0; k < hidden; ++k) a[gate] += double{u[row * hidden + k]} * before[k];
        }
        c[n] = sigmoid(a[1]) * c[n] + sigmoid(a[0]) * std::tanh(a[2]);
        h[n] = sigmoid(a[3]) * std::tanh(c[n]);
        y[t * hidden + n] = h[n];
      }
    }
    return y;
  }

 private:
  float next() {
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<float>(seed_ >> 40) / static_cast<float>(1U << 23) - 1.0F;
  }
  std::uint64_t seed_ = 7;
  std::vector<std::string> names_;
  std::vector<shape_t> shapes_;
  std::vector<std::vector<float>> tensors_;
};

/// Both directions side by side.
std::vector<double> beside(const std::vector<double>& a, const std::vector<double>& b, std::size_t hidden) {
  std::vector<double> both;
  for (std::size_t t = 0; t * hidden < a.size(); ++t)
    for (const auto* from : {&a, &b})
      for (std::size_t n = 0; n < hidden; ++n) both.push_back((*from)[t * hidden + n]);
  return both;
}

constexpr std::size_t steps = 5;
std::array<float, steps * 3> inputs() {
  std::array<float, steps * 3> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5) * 0.25F;
  return x;
}
std::vector<double> reals() {
  const auto x = inputs();
  return {x.begin(), x.end()};
}

template <const auto& Network> double worst(const state_dict& dict, const std::vector<double>& expected) {
  auto run = executor<graph<Network>>::create(dict.file());
  if (!run) FAIL(run.error().message());
  const auto y = (*run)(inputs());
  REQUIRE(y.size() == expected.size());
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) most = std::max(most, std::fabs(double{y[i]} - expected[i]));
  return most;
}
template <const auto& Network> std::string refusal(const state_dict& dict) {
  auto run = executor<graph<Network>>::create(dict.file());
  return run ? "taken" : run.error().message();
}

constexpr auto sequence(builder& g) { return g.input<f32, shape<steps, 1, 3>>("x"); }

constexpr auto layer = [](builder& g) {
  auto [y, hy, cy] = layers::lstm<4>(sequence(g), "lstm");
  g.output("y", y);
};
constexpr auto both_ways = [](builder& g) {
  auto [y, hy, cy] = layers::lstm<4>(sequence(g), "rnn.lstm", bidirectional);
  g.output("y", y);
};
constexpr auto two_layers = [](builder& g) {
  auto [y, hy, cy] = layers::lstm<4>(sequence(g), "lstm", bidirectional);
  auto [z, hz, cz] = layers::lstm<4, 1>(y, "lstm", bidirectional);
  g.output("z", z);
};
constexpr auto without_bias = [](builder& g) {
  auto [y, hy, cy] = layers::lstm<4>(sequence(g), "lstm", no_bias);
  g.output("y", y);
};

TEST_CASE("pytorch_lstm: layers::lstm on a state dict gives what PyTorch's equations give") {
  state_dict one;
  one.lstm("lstm", "l0", 3, 4);
  CHECK(worst<layer>(one, one.run("lstm", "l0", reals(), 3, 4, false)) < 1e-6);
  state_dict two;
  two.lstm("rnn.lstm", "l0", 3, 4).lstm("rnn.lstm", "l0_reverse", 3, 4);
  CHECK(worst<both_ways>(two, beside(two.run("rnn.lstm", "l0", reals(), 3, 4, false),
                                     two.run("rnn.lstm", "l0_reverse", reals(), 3, 4, true), 4)) < 1e-6);
  state_dict deep;
  deep.lstm("lstm", "l0", 3, 4)
      .lstm("lstm", "l0_reverse", 3, 4)
      .lstm("lstm", "l1", 8, 4)
      .lstm("lstm", "l1_reverse", 8, 4);
  const auto y =
      beside(deep.run("lstm", "l0", reals(), 3, 4, false), deep.run("lstm", "l0_reverse", reals(), 3, 4, true), 4);
  CHECK(worst<two_layers>(deep, beside(deep.run("lstm", "l1", y, 8, 4, false),
                                       deep.run("lstm", "l1_reverse", y, 8, 4, true), 4)) < 1e-6);
}

// Other ways to join the same tensors.
constexpr auto declared_with_three_axes = [](builder& g) {
  auto bias =
      concat(g.weight<f32, shape<1, 16>>("lstm.bias_ih_l0"), g.weight<f32, shape<1, 16>>("lstm.bias_hh_l0"), axis<1>);
  auto [y, hy, cy] = lstm(sequence(g), g.weight<f32, shape<1, 16, 3>>("lstm.weight_ih_l0"),
                          g.weight<f32, shape<1, 16, 4>>("lstm.weight_hh_l0"), bias);
  g.output("y", y);
};
constexpr auto summed_biases = [](builder& g) {
  auto sum = g.weight<f32, shape<16>>("lstm.bias_ih_l0") + g.weight<f32, shape<16>>("lstm.bias_hh_l0");
  auto bias = reshape(concat(sum, g.constant<f32, shape<16>>(std::array<float, 16>{}), axis<0>), shape<1, 32>);
  auto [y, hy, cy] = lstm(sequence(g), unsqueeze(g.weight<f32, shape<16, 3>>("lstm.weight_ih_l0"), axes<0>),
                          reshape(g.weight<f32, shape<16, 4>>("lstm.weight_hh_l0"), shape<1, 16, 4>), bias);
  g.output("y", y);
};
constexpr auto stacked_by_kind = [](builder& g) {
  const auto stacked = [&]<std::int64_t Columns>(std::string_view a, std::string_view b) {
    return stack(g.weight<f32, shape<16, Columns>>(a), g.weight<f32, shape<16, Columns>>(b));
  };
  auto of_inputs =
      stack(g.weight<f32, shape<16>>("rnn.lstm.bias_ih_l0"), g.weight<f32, shape<16>>("rnn.lstm.bias_ih_l0_reverse"));
  auto of_states =
      stack(g.weight<f32, shape<16>>("rnn.lstm.bias_hh_l0"), g.weight<f32, shape<16>>("rnn.lstm.bias_hh_l0_reverse"));
  auto [y, hy, cy] =
      lstm(sequence(g), stacked.template operator()<3>("rnn.lstm.weight_ih_l0", "rnn.lstm.weight_ih_l0_reverse"),
           stacked.template operator()<4>("rnn.lstm.weight_hh_l0", "rnn.lstm.weight_hh_l0_reverse"),
           concat(of_inputs, of_states, axis<1>), bidirectional);
  g.output("y", y);
};

TEST_CASE("pytorch_lstm: tensors of a state dict that a network joins in another way are put into order, too") {
  state_dict one;
  one.lstm("lstm", "l0", 3, 4);
  const auto expected = one.run("lstm", "l0", reals(), 3, 4, false);
  CHECK(worst<declared_with_three_axes>(one, expected) < 1e-6);
  CHECK(worst<summed_biases>(one, expected) < 1e-6);
  state_dict two;
  two.lstm("rnn.lstm", "l0", 3, 4).lstm("rnn.lstm", "l0_reverse", 3, 4);
  CHECK(worst<stacked_by_kind>(two, beside(two.run("rnn.lstm", "l0", reals(), 3, 4, false),
                                           two.run("rnn.lstm", "l0_reverse", reals(), 3, 4, true), 4)) < 1e-6);
}

template <auto WIh>
constexpr auto layer_with = [](builder& g) {
  auto [y, hy, cy] = lstm(sequence(g), WIh(g), g.constant<f32, shape<1, 16, 4>>(std::array<float, 64>{}));
  g.output("y", y);
};
constexpr auto cut = layer_with<[](builder& g) {
  return reshape(slice(g.weight<f32, shape<20, 3>>("w"), begin<4>, size<16>, axes<0>), shape<1, 16, 3>);
}>;
constexpr auto turned = layer_with<[](builder& g) {
  return reshape(transpose(g.weight<f32, shape<3, 16>>("w"), perm<1, 0>), shape<1, 16, 3>);
}>;
constexpr auto halves = layer_with<[](builder& g) {
  return reshape(concat(g.weight<f32, shape<8, 3>>("v"), g.weight<f32, shape<8, 3>>("w"), axis<0>), shape<1, 16, 3>);
}>;
constexpr auto columns = layer_with<[](builder& g) {
  return reshape(concat(g.weight<f32, shape<16, 1>>("v"), g.weight<f32, shape<16, 2>>("w"), axis<1>), shape<1, 16, 3>);
}>;
constexpr auto scaled = layer_with<[](builder& g) {
  return reshape(g.weight<f32, shape<16, 3>>("w") * g.weight<f32, shape<16, 1>>("v"), shape<1, 16, 3>);
}>;
constexpr auto gate_by_gate = layer_with<[](builder& g) {
  return reshape(concat(g.weight<f32, shape<4, 3>>("i"), g.weight<f32, shape<4, 3>>("o"),
                        g.weight<f32, shape<4, 3>>("f"), g.weight<f32, shape<4, 3>>("g"), axis<0>),
                 shape<1, 16, 3>);
}>;
constexpr auto behind_a_map = [](builder& g) {
  auto map = max_pool(g.input<f32, shape<1, steps, 3, 2>>("x"), kernel<1, 1>);
  auto [y, hy, cy] = layers::lstm<4>(reshape(map, shape<steps, 1, 6>), "lstm");
  g.output("y", y);
};

TEST_CASE("pytorch_lstm: weights whose gates cannot be followed are refused with the reason, single gates are not") {
  struct row {
    const char* what;
    std::string (*message)(const state_dict&);
    std::vector<std::pair<std::string, shape_t>> tensors;
    const char* expected;
  };
  const row table[] = {
      {"cut", refusal<cut>, {{"w", {20, 3}}}, "is cut, moved or computed on its way to an lstm"},
      {"transposed", refusal<turned>, {{"w", {3, 16}}}, "is cut, moved or computed on its way to an lstm"},
      {"two gates each", refusal<halves>, {{"v", {8, 3}}, {"w", {8, 3}}}, "has some of an lstm's four gates"},
      {"parts of all rows", refusal<columns>, {{"v", {16, 1}}, {"w", {16, 2}}}, "has some of an lstm's four gates"},
      {"multiplied with rows",
       refusal<scaled>,
       {{"w", {16, 3}}, {"v", {16, 1}}},
       "\"v\": expected f32 [16, 1] is cut, moved or computed"},
      {"one gate each", refusal<gate_by_gate>, {{"i", {4, 3}}, {"o", {4, 3}}, {"f", {4, 3}}, {"g", {4, 3}}}, "taken"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    state_dict dict;
    for (const auto& [name, shape] : r.tensors) dict.tensor(name, shape);
    const std::string message = r.message(dict);
    CAPTURE(message);
    CHECK(message.find(r.expected) != std::string::npos);
  }
  state_dict dict;
  dict.lstm("lstm", "l0", 6, 4);
  CHECK(refusal<behind_a_map>(dict).find("reads columns of a flattened map in an lstm") != std::string::npos);
}

TEST_CASE("pytorch_lstm: a projection is refused by the name of its weight, and so is a missing direction") {
  state_dict dict;
  dict.lstm("lstm", "l0", 3, 4).tensor("lstm.weight_hr_l0", {2, 4});
  CHECK(refusal<layer>(dict).find("\"lstm.weight_hr_l0\": superfluous: got f32 [2, 4], expected no such tensor (the "
                                  "projection of an LSTM, which lstm does not have)") != std::string::npos);
  state_dict one;
  one.lstm("rnn.lstm", "l0", 3, 4);
  CHECK(refusal<both_ways>(one).find("\"rnn.lstm.weight_ih_l0_reverse\": missing") != std::string::npos);
  state_dict more;
  more.lstm("lstm", "l0", 3, 4);
  CHECK(refusal<without_bias>(more).find("\"lstm.bias_ih_l0\": superfluous") != std::string::npos);
}

TEST_CASE("pytorch_lstm: files in nnrt's order are not changed") {
  state_dict native;
  native.lstm("lstm", "l0", 3, 4);
  auto as_ours = executor<graph<layer>>::create(native.file(layout::native));
  auto as_theirs = executor<graph<layer>>::create(native.file());
  REQUIRE(as_ours);
  REQUIRE(as_theirs);
  const auto ours = (*as_ours)(inputs()), theirs = (*as_theirs)(inputs());
  float most = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) most = std::max(most, std::fabs(ours[i] - theirs[i]));
  CHECK(most > 0.1F);
}

}  // namespace
