#include <nnrt/kernels/bind/sequence_lstm.hpp>
#include <nnrt/kernels/bind/sequence_rnn.hpp>
#include <nnrt/kernels/bind/svdf.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

using op = ops::sequence_lstm;

struct layer {
  std::int64_t batch, steps, input, cells, outputs;
  bool has_peepholes, has_factors, are_coupled, is_projected;
};

/// Operands of a layer of floats, or of quantised values where x is i8 or i16.
std::vector<given_operand> operands_of(const layer& l, dtype x, const op::attrs& a) {
  const bool is_real = x == f32;
  const dtype weight = is_real ? f32 : i8, vector = is_real ? f32 : i16, bias = is_real ? f32 : x == i16 ? i64 : i32;
  std::uint32_t seed = 0;
  const auto make = [&](dtype type, const shape_t& shape, double range, float scale) {
    ++seed;
    given_operand made;
    if (type == f32) return floats(shape, random_floats(shape.elements(), seed, static_cast<float>(range)));
    std::vector<float> numbers = random_floats(shape.elements(), seed, 1.0F);
    with_element<types::integer>(type, [&]<class T>(T) {
      const double most = sizeof(T) > 2 ? 3e4 : static_cast<double>(std::numeric_limits<T>::max());
      std::vector<T> stored;
      for (const float number : numbers) stored.push_back(static_cast<T>(double{number} * most));
      made = bytes_of({type, shape}, stored.data());
    });
    if (scale != 0) made.desc.quantised = quant{scale, type == i8 && scale > 0.015F ? -5 : 0};
    return made;
  };
  const std::int64_t i = l.input, c = l.cells, o = l.is_projected ? l.outputs : l.cells;
  std::vector<given_operand> in(24);
  in[0] = make(x, a.time_major ? shape_t{l.steps, l.batch, i} : shape_t{l.batch, l.steps, i}, 1, 0.02F);
  for (std::size_t gate = l.are_coupled ? 1 : 0; gate < 4; ++gate) {
    in[op::w + gate] = make(weight, {c, i}, 0.5, 0.004F), in[op::u + gate] = make(weight, {c, o}, 0.5, 0.005F);
    in[op::b + gate] = make(bias, {c}, 1, 0);
    if (l.has_factors) in[op::n + gate] = make(vector, {c}, 1, 0.0001F);
    if (l.has_peepholes && gate < 3) in[op::p + gate] = make(vector, {c}, 1, 0.0002F);
  }
  if (l.has_peepholes && l.are_coupled) in[op::p] = {};
  if (l.is_projected)
    in[op::projection] = make(weight, {o, c}, 0.5, 0.01F),
    in[op::projection_bias] = make(is_real ? f32 : i32, {o}, 1, 0);
  in[op::state_h] = make(x, {l.batch, o}, 1, 0.016F), in[op::state_c] = make(vector, {l.batch, c}, 1, 0x1p-12F);
  return in;
}

constexpr layer layers[] = {
    {1, 1, 1, 1, 1, false, false, false, false},   {2, 3, 5, 4, 4, false, false, false, false},
    {3, 2, 16, 17, 17, true, false, false, false}, {1, 4, 33, 8, 8, false, true, false, false},
    {2, 2, 7, 12, 5, false, false, false, true},   {2, 2, 40, 31, 19, true, true, false, true},
    {1, 3, 12, 20, 20, true, false, true, false},  {2, 1, 3, 6, 9, true, true, true, true},
};

}  // namespace

TEST_CASE("sequence_lstm: the kernel of floats is the reference within some ulp, with all that a layer may have") {
  for (const layer& l : layers)
    for (const bool is_time_major : {false, true})
      for (const auto activation : {recurrent_activation::tanh, recurrent_activation::none, recurrent_activation::relu,
                                    recurrent_activation::relu6, recurrent_activation::relu_n1_to_1}) {
        CAPTURE(l.input);
        CAPTURE(l.cells);
        CAPTURE(static_cast<int>(activation));
        op::attrs a;
        a.time_major = is_time_major, a.backwards = is_time_major, a.activation = activation;
        check_kernel<op>(a, operands_of(l, f32, a), {6e-6, 2e-6});
        a.cell_clip = 0.5F, a.projection_clip = 0.25F;
        check_kernel<op>(a, operands_of(l, f32, a), {6e-6, 2e-6});
      }
}

TEST_CASE("sequence_lstm: rows of 8 bits are those of the reference") {
  for (const layer& l : layers)
    for (const bool is_even : {false, true}) {
      op::attrs a;
      a.rounds_rows = true, a.symmetric = is_even;
      check_kernel<op>(a, operands_of(l, f32, a), {1e-5, 5e-6});
    }
}

TEST_CASE("sequence_lstm: the kernels of quantised values have the bits of the reference") {
  for (const layer& l : layers)
    for (const dtype type : {i8, i16}) {
      if (type == i16 && (l.has_peepholes || l.has_factors || l.are_coupled || l.is_projected)) continue;
      CAPTURE(l.input);
      CAPTURE(l.cells);
      op::attrs a;
      a.hidden_scale = 0.02F, a.hidden_zero_point = 3;
      const std::vector<tensor_desc> wanted{{dtype::none, format::nd, {}, quant{0.02F, type == i8 ? 3 : 0}}};
      check_kernel<op>(a, operands_of(l, type, a), {}, wanted);
      a.cell_clip = 0.5F, a.projection_clip = 0.25F, a.time_major = true;
      check_kernel<op>(a, operands_of(l, type, a), {}, wanted);
    }
}

TEST_CASE("sequence_rnn: the kernel is the reference within some ulp, with rows of 8 bits, too") {
  for (const std::int64_t states : {1, 4, 7, 17, 40})
    for (const std::int64_t inputs : {1, 16, 21})
      for (const bool is_time_major : {false, true})
        for (const auto activation :
             {recurrent_activation::tanh, recurrent_activation::relu6, recurrent_activation::none}) {
          CAPTURE(states);
          CAPTURE(inputs);
          ops::sequence_rnn::attrs a;
          a.time_major = a.backwards = is_time_major, a.activation = activation;
          const std::vector<given_operand> in = {
              floats(is_time_major ? shape_t{3, 2, inputs} : shape_t{2, 3, inputs}, random_floats(6 * inputs, 1, 1.0F)),
              floats({states, inputs}, random_floats(states * inputs, 2, 0.3F)),
              floats({states, states}, random_floats(states * states, 3, 0.3F)), floats({states}, 4),
              floats({2, states}, 5)};
          check_kernel<ops::sequence_rnn>(a, in, {1e-5, 1e-5});
          a.rounds_rows = true;
          check_kernel<ops::sequence_rnn>(a, in, {1e-5, 1e-5});
        }
}

TEST_CASE("svdf: the kernel of floats is the reference within some ulp, that of quantised values has its bits") {
  for (const std::int64_t batch : {1, 3})
    for (const std::int64_t inputs : {1, 15, 40})
      for (const std::int64_t rank : {1, 2})
        for (const std::int64_t memory : {1, 8, 19}) {
          CAPTURE(inputs);
          CAPTURE(memory);
          ops::svdf::attrs a;
          a.rank = rank, a.fused = activation::relu;
          const std::int64_t filters = 5 * rank;
          const std::vector<given_operand> in = {floats({batch, inputs}, 1), floats({filters, inputs}, 2),
                                                 floats({filters, memory}, 3), floats({5}, 4),
                                                 floats({batch, filters * memory}, 5)};
          check_kernel<ops::svdf>(a, in, {1e-4, 1e-5});
          check_kernel<ops::svdf>(a, {in[0], in[1], in[2], {}, in[4]}, {1e-4, 1e-5});
          const auto stored = [](given_operand x, float scale, std::int32_t zero_point = 0) {
            x.desc.quantised = quant{scale, zero_point};
            return x;
          };
          const std::vector<tensor_desc> wanted{{dtype::none, format::nd, {}, quant{0.5F, 3}}};
          check_kernel<ops::svdf>(
              a,
              {stored(pattern(i8, {batch, inputs}), 0.1F, -7), stored(pattern(i8, {filters, inputs}), 0.01F),
               stored(pattern(i16, {filters, memory}), 0.001F), pattern(i32, {5}),
               stored(pattern(i16, {batch, filters * memory}), 0.01F)},
              {}, wanted);
        }
}
