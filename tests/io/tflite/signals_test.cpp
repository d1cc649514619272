// signals_test: the custom operators of TensorFlow Lite Micro's signal library in files, and their memory from run to
// run.
#include <doctest/doctest.h>
#include <flatbuffers/flexbuffers.h>

#include <cmath>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

using namespace tflite_test;

namespace {

constexpr int uint32 = 15;
using numbers = std::vector<double>;
using named = std::vector<std::pair<const char*, int>>;

std::vector<std::uint8_t> map_of(const named& options) {
  flexbuffers::Builder b;
  b.Map([&] {
    for (const auto& [name, number] : options) b.Int(name, number);
  });
  b.Finish();
  return b.GetBuffer();
}
/// Adds the operator to a file.
void add(file& f, const char* code, const named& options, std::vector<std::int32_t> in, std::vector<std::int32_t> out) {
  call c{32, std::move(in), std::move(out), {}, code};
  if (!options.empty()) c.custom_options = map_of(options);
  f.calls.push_back(c);
}
/// One operator; tensors with data are constants, others inputs.
file file_of(const char* code, const named& options, std::vector<tensor> inputs, std::vector<tensor> outputs) {
  file f;
  std::vector<std::int32_t> in, out;
  for (tensor& t : inputs) {
    const bool is_input = t.data.empty();
    in.push_back(f.add(std::move(t)));
    if (is_input) f.inputs.push_back(in.back());
  }
  for (tensor& t : outputs) out.push_back(f.add(std::move(t)));
  f.outputs = out;
  add(f, code, options, in, out);
  return f;
}
std::string error_of(const file& f) { return load_file(f.bytes()).error; }

/// 16-bit numbers without a pattern, from the first one on.
numbers mixed(std::uint64_t first, int count, int shift) {
  numbers made;
  for (std::uint64_t i = first; i < first + static_cast<std::uint64_t>(count); ++i) {
    std::uint64_t bits = (i + 1) * 0x9E3779B97F4A7C15U;
    bits ^= bits >> 29U;
    bits *= 0xBF58476D1CE4E5B9U;
    bits ^= bits >> 32U;
    made.push_back(static_cast<std::int16_t>(static_cast<std::uint16_t>(bits)) >> shift);
  }
  return made;
}
tensor list_of(numbers values) {
  return {int16, {static_cast<std::int32_t>(values.size())}, "list", bytes_of<std::int16_t>(values)};
}

const named noise{{"alternate_one_minus_smoothing", 15401},
                  {"alternate_smoothing", 983},
                  {"clamping", 0},
                  {"min_signal_remaining", 819},
                  {"num_channels", 3},
                  {"one_minus_smoothing", 15974},
                  {"smoothing", 410},
                  {"smoothing_bits", 4},
                  {"spectral_subtraction_bits", 14}};

/// From 16 numbers to three logarithms, with what lies between as outputs.
file front_end() {
  file f;
  numbers window, weights, unweights, table;
  for (int i = 0; i < 16; ++i) window.push_back(512 * (i < 8 ? i + 1 : 16 - i));
  for (int i = 0; i < 12; ++i) weights.push_back(i * 300 + 200), unweights.push_back(4096 - weights.back());
  for (int i = 0; i < 125; ++i) table.push_back(32000 - i * 200 + i % 3 * 17);
  const auto x = f.add({int16, {16}, "x"}), weighted = f.add({int16, {16}, "weighted"}),
             scaled = f.add({int16, {16}, "scaled"}), bits = f.add({int32, {}, "bits"}),
             spectrum = f.add({int16, {18}, "spectrum"}), energy = f.add({uint32, {9}, "energy"}),
             stripes = f.add({uint64, {3}, "bands"}), roots = f.add({uint32, {3}, "roots"}),
             clean = f.add({uint32, {3}, "clean"}), estimate = f.add({uint32, {3}, "estimate"}),
             gained = f.add({uint32, {3}, "gained"}), logs = f.add({int16, {3}, "logs"});
  add(f, "SignalWindow", {{"shift", 12}}, {x, f.add(list_of(window))}, {weighted});
  add(f, "SignalFftAutoScale", {}, {weighted}, {scaled, bits});
  add(f, "SignalRfft", {{"T", 7}, {"fft_length", 16}}, {scaled}, {spectrum});
  add(f, "SignalEnergy", {{"end_index", 8}, {"start_index", 1}}, {spectrum}, {energy});
  add(f, "SignalFilterBank", {{"num_channels", 3}},
      {energy, f.add(list_of(weights)), f.add(list_of(unweights)), f.add(list_of({1, 2, 4, 6})),
       f.add(list_of({0, 1, 3, 6})), f.add(list_of({1, 2, 2, 2}))},
      {stripes});
  add(f, "SignalFilterBankSquareRoot", {}, {stripes, bits}, {roots});
  add(f, "SignalFilterBankSpectralSubtraction", noise, {roots}, {clean, estimate});
  add(f, "SignalPCAN", {{"snr_shift", 10}}, {clean, estimate, f.add(list_of(table))}, {gained});
  add(f, "SignalFilterBankLog", {{"input_correction_bits", 2}, {"output_scale", 1600}}, {gained}, {logs});
  f.inputs = {x}, f.outputs = {roots, clean, estimate, gained, logs};
  return f;
}

std::vector<std::vector<numbers>> runs_of(std::vector<numbers> each) {
  std::vector<std::vector<numbers>> runs;
  for (numbers& x : each) runs.push_back({std::move(x)});
  return runs;
}
/// What output `i` is in each run; a run that fails gives nothing.
std::vector<numbers> outputs_of(const std::vector<outcome>& runs, std::size_t i) {
  std::vector<numbers> made;
  for (const outcome& run : runs) {
    CHECK(run.error == "");
    made.push_back(i < run.outputs.size() ? run.outputs[i].numbers : numbers{});
  }
  return made;
}

}  // namespace

// Results are those of TensorFlow Lite Micro's signal/src and kissfft, version 130, compiled by g++ for x86-64
// (-fwrapv) and called one after the other, for three runs of mixed(16 * run, 16, 3).
TEST_CASE("tflite: an audio front end in fixed point gives TensorFlow Lite Micro's numbers, run after run") {
  const auto got = run_in_turn(front_end().bytes(),
                               runs_of({mixed(0, 16, 3), mixed(16, 16, 3), mixed(32, 16, 3), mixed(0, 16, 3)}), 3);
  const std::vector<numbers> roots{
      {27935, 37983, 45615}, {23779, 30909, 39395}, {31175, 32133, 49502}, {27935, 37983, 45615}};
  CHECK(outputs_of(got, 0) == roots);
  CHECK(
      outputs_of(got, 1) ==
      std::vector<numbers>{{27236, 35704, 44473}, {22502, 26912, 37296}, {29150, 26448, 46217}, {27236, 35704, 44473}});
  CHECK(
      outputs_of(got, 2) ==
      std::vector<numbers>{{11184, 36462, 18263}, {20425, 63945, 33579}, {32396, 90954, 52558}, {11184, 36462, 18263}});
  CHECK(outputs_of(got, 3) ==
        std::vector<numbers>{
            {40094396, 12434, 16136}, {9424, 18871110, 11843}, {31324390, 12060, 8960298}, {40094396, 12434, 16136}});
  CHECK(
      outputs_of(got, 4) ==
      std::vector<numbers>{{30227, 17303, 17720}, {16859, 29021, 17225}, {29836, 17254, 27829}, {30227, 17303, 17720}});
  CHECK(load_file(front_end().bytes()).states.size() == 1);
}

TEST_CASE("tflite: SignalRfft and SignalIrfft of floats are the transforms of their definition") {
  const named options{{"T", 0}, {"fft_length", 8}};
  // A cosine of one turn and a line of fewer numbers.
  numbers x;
  for (int i = 0; i < 6; ++i) x.push_back(std::cos(std::acos(-1.0) * i / 4));
  for (int i = 0; i < 6; ++i) x.push_back(1);
  const outcome spectra =
      run_file(file_of("SignalRfft", options, {{float32, {2, 6}, "x"}}, {{float32, {2, 10}, "y"}}).bytes(), {x});
  REQUIRE(spectra.error == "");
  // Python: sum(x[n] * exp(-2j * pi * k * n / 8) for n < 6), k < 5, real and imaginary parts.
  const numbers expected{
      -0.707106781, 0,           3.5, -0.5, 0,           -0.707106781, 0.5, -0.5, 0.707106781, 0, 6, 0,
      -0.707106781, -1.70710678, 1,   -1,   0.707106781, 0.292893219,  0,   0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(std::fabs(spectra.outputs[0].numbers[i] - expected[i]) < 1e-5);
  const outcome back = run_file(
      file_of("SignalIrfft", options, {{float32, {2, 10}, "x"}}, {{float32, {2, 8}, "y"}}).bytes(), {expected});
  REQUIRE(back.error == "");
  for (std::size_t line = 0; line < 2; ++line)
    for (std::size_t i = 0; i < 8; ++i)
      CHECK(std::fabs(back.outputs[0].numbers[line * 8 + i] - (i < 6 ? x[line * 6 + i] : 0)) < 1e-5);
}

TEST_CASE("tflite: SignalRfft and SignalIrfft of 32 bits have one bit after the point for each number that is added") {
  // A constant: the sum over 8. And the inverse of a first number alone: an eighth of it everywhere.
  const named options{{"T", 2}, {"fft_length", 8}};
  const outcome spectrum = run_file(file_of("SignalRfft", options, {{int32, {8}, "x"}}, {{int32, {10}, "y"}}).bytes(),
                                    {numbers(8, 1 << 20)});
  REQUIRE(spectrum.error == "");
  CHECK(spectrum.outputs[0].numbers == numbers{1 << 20, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const outcome line = run_file(file_of("SignalIrfft", options, {{int32, {10}, "x"}}, {{int32, {8}, "y"}}).bytes(),
                                {{1 << 20, 0, 0, 0, 0, 0, 0, 0, 0, 0}});
  REQUIRE(line.error == "");
  CHECK(line.outputs[0].numbers == numbers(8, 1 << 17));
}

TEST_CASE("tflite: SignalDelay gives the numbers of earlier runs, each line for itself") {
  const auto got =
      run_in_turn(file_of("SignalDelay", {{"delay_length", 3}}, {{int16, {2, 2}, "x"}}, {{int16, {2, 2}, "y"}}).bytes(),
                  runs_of({{1, 2, -1, -2}, {3, 4, -3, -4}, {5, 6, -5, -6}, {7, 8, -7, -8}}), 3);
  CHECK(outputs_of(got, 0) == std::vector<numbers>{{0, 0, 0, 0}, {0, 1, 0, -1}, {2, 3, -2, -3}, {0, 0, 0, 0}});
  const outcome none = run_file(
      file_of("SignalDelay", {{"delay_length", 0}}, {{int16, {2}, "x"}}, {{int16, {2}, "y"}}).bytes(), {{1, 2}});
  REQUIRE(none.error == "");
  CHECK(none.outputs[0].numbers == numbers{1, 2});
}

TEST_CASE("tflite: SignalFramer gives frames that overlap, and says from when on they are whole") {
  const auto framer = [](int size, int step, bool prefill, std::int32_t extent) {
    return file_of("SignalFramer", {{"frame_size", size}, {"frame_step", step}, {"prefill", prefill ? 1 : 0}},
                   {{int16, {extent}, "x"}}, {{int16, {extent / step, size}, "y"}, {boolean, {}, "valid"}})
        .bytes();
  };
  // 3 numbers in steps of 2: the oldest 3 of two steps.
  const auto got = run_in_turn(framer(3, 2, false, 2), runs_of({{1, 2}, {3, 4}, {5, 6}, {7, 8}}), 3);
  CHECK(outputs_of(got, 1) == std::vector<numbers>{{0}, {1}, {1}, {0}});
  CHECK(outputs_of(got, 0)[1] == numbers{1, 2, 3});
  CHECK(outputs_of(got, 0)[2] == numbers{3, 4, 5});
  // With zeros before: the newest 3, valid at once.
  const auto filled = run_in_turn(framer(3, 2, true, 2), runs_of({{1, 2}, {3, 4}, {5, 6}}));
  CHECK(outputs_of(filled, 1) == std::vector<numbers>{{1}, {1}, {1}});
  CHECK(outputs_of(filled, 0) == std::vector<numbers>{{0, 1, 2}, {2, 3, 4}, {4, 5, 6}});
  // Several frames in a run, which are valid when all of them are.
  const auto several = run_in_turn(framer(5, 2, false, 4), runs_of({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}));
  CHECK(outputs_of(several, 1) == std::vector<numbers>{{0}, {1}, {1}});
  CHECK(outputs_of(several, 0)[1] == numbers{1, 2, 3, 4, 5, 3, 4, 5, 6, 7});
  CHECK(outputs_of(several, 0)[2] == numbers{5, 6, 7, 8, 9, 7, 8, 9, 10, 11});
  // Frames that are shorter than their step need no memory.
  const auto sparse = run_in_turn(framer(1, 2, false, 4), runs_of({{1, 2, 3, 4}}));
  CHECK(outputs_of(sparse, 0) == std::vector<numbers>{{1, 3}});
  CHECK(outputs_of(sparse, 1) == std::vector<numbers>{{1}});
}

TEST_CASE("tflite: SignalStacker puts runs side by side, the first as often as there is context to its left") {
  const auto stacker = [](int left, int right, int step) {
    return file_of("SignalStacker",
                   {{"num_channels", 2},
                    {"stacker_left_context", left},
                    {"stacker_right_context", right},
                    {"stacker_step", step}},
                   {{int16, {2}, "x"}}, {{int16, {2 * (left + right + 1)}, "y"}, {boolean, {}, "valid"}})
        .bytes();
  };
  const std::vector<numbers> x{{1, -1}, {2, -2}, {3, -3}, {4, -4}, {5, -5}, {6, -6}};
  const auto got = run_in_turn(stacker(1, 1, 2), runs_of(x));
  CHECK(outputs_of(got, 1) == std::vector<numbers>{{0}, {1}, {0}, {1}, {0}, {1}});
  CHECK(outputs_of(got, 0)[1] == numbers{1, -1, 1, -1, 2, -2});
  CHECK(outputs_of(got, 0)[3] == numbers{2, -2, 3, -3, 4, -4});
  CHECK(outputs_of(got, 0)[5] == numbers{4, -4, 5, -5, 6, -6});
  const auto left = run_in_turn(stacker(2, 0, 1), runs_of(x), 4);
  CHECK(outputs_of(left, 1) == std::vector<numbers>(6, numbers{1}));
  CHECK(outputs_of(left, 0)[0] == numbers{1, -1, 1, -1, 1, -1});
  CHECK(outputs_of(left, 0)[3] == numbers{2, -2, 3, -3, 4, -4});
  CHECK(outputs_of(left, 0)[4] == numbers{5, -5, 5, -5, 5, -5});
  const auto alone = run_in_turn(stacker(0, 0, 1), runs_of({{1, -1}}));
  CHECK(outputs_of(alone, 0) == std::vector<numbers>{{1, -1}});
}

TEST_CASE(
    "tflite: SignalOverlapAdd adds frames where they overlap, in 16 bits without wrapping around, and in floats") {
  const auto adder = [](int type, std::vector<std::int32_t> shape, int step, std::vector<std::int32_t> made) {
    return file_of("SignalOverlapAdd", {{"T", type}, {"frame_step", step}}, {{type, std::move(shape), "x"}},
                   {{type, std::move(made), "y"}})
        .bytes();
  };
  const auto got =
      run_in_turn(adder(int16, {2, 3}, 2, {4}),
                  runs_of({{1, 2, 3, 10, 20, 30}, {100, 200, 32000, 32000, 0, -5}, {-32768, 1, 1, 1, 1, 1}}), 9);
  CHECK(outputs_of(got, 0) == std::vector<numbers>{{1, 2, 13, 20}, {130, 200, 32767, 0}, {-32768, 1, 2, 1}});
  const auto floats = run_in_turn(adder(float32, {2, 1, 2}, 1, {2, 1}), runs_of({{1, 0.5, -1, 2}, {3, 4, 5, 6}}), 1);
  CHECK(outputs_of(floats, 0) == std::vector<numbers>{{1, -1}, {3, 5}});
  const auto kept = run_in_turn(adder(float32, {2, 1, 2}, 1, {2, 1}), runs_of({{1, 0.5, -1, 2}, {3, 4, 5, 6}}), 9);
  CHECK(outputs_of(kept, 0) == std::vector<numbers>{{1, -1}, {3.5, 7}});
  const auto apart = run_in_turn(adder(int16, {2, 2}, 2, {4}), runs_of({{1, 2, 3, 4}}));
  CHECK(outputs_of(apart, 0) == std::vector<numbers>{{1, 2, 3, 4}});
}

TEST_CASE("tflite: signal operators whose options are missing or mean nothing are refused in words") {
  const auto at = [](const char* code) { return std::string("subgraph 0: operator 0 CUSTOM \"") + code + "\": "; };
  const tensor x{int16, {8}, "x"}, y{int16, {8}, "y"}, valid{boolean, {}, "valid"};
  CHECK(error_of(file_of("SignalDelay", {}, {x}, {y})) == at("SignalDelay") + "options: delay_length is missing");
  CHECK(error_of(file_of("SignalDelay", {{"delay_length", -1}}, {x}, {y})) ==
        at("SignalDelay") + "options: delay_length: got -1, expected 0 to 2147483647");
  CHECK(error_of(file_of("SignalDelay", {{"delay_length", 1}}, {{int32, {8}, "x"}}, {y})) ==
        at("SignalDelay") + "input 0: got i32 [8] that a run computes or is given, expected i16");
  CHECK(error_of(file_of("SignalFramer", {{"frame_size", 4}, {"frame_step", 3}, {"prefill", 0}}, {x},
                         {{int16, {2, 4}, "y"}, valid})) ==
        at("SignalFramer") + "input 0: got lines of 8 numbers, expected whole steps of 3, frame_step");
  CHECK(error_of(file_of("SignalFramer", {{"frame_size", 1}, {"frame_step", 4}, {"prefill", 1}}, {x},
                         {{int16, {2, 1}, "y"}, valid})) ==
        at("SignalFramer") + "options: frame_size: got 1, expected at least 4, frame_step, with prefill");
  CHECK(error_of(file_of(
            "SignalStacker",
            {{"num_channels", 8}, {"stacker_left_context", 0}, {"stacker_right_context", 1}, {"stacker_step", 3}}, {x},
            {y, valid})) == at("SignalStacker") + "options: stacker_step: got 3, expected 1 to 2");
  CHECK(error_of(file_of(
            "SignalStacker",
            {{"num_channels", 7}, {"stacker_left_context", 0}, {"stacker_right_context", 1}, {"stacker_step", 1}}, {x},
            {y, valid})) == at("SignalStacker") + "input 0: got [8], expected 7 numbers with num_channels 7");
  CHECK(error_of(file_of("SignalRfft", {{"T", 2}, {"fft_length", 8}}, {x}, {{int16, {10}, "y"}})) ==
        at("SignalRfft") + "options: T: got INT32, expected that of the input, i16");
  CHECK(error_of(file_of("SignalRfft", {{"T", 7}, {"fft_length", 9}}, {x}, {{int16, {11}, "y"}})) ==
        at("SignalRfft") + "options: fft_length: got 9, expected an even number");
  CHECK(error_of(file_of("SignalRfft", {{"fft_length", 4}}, {{float32, {8}, "x"}}, {{float32, {6}, "y"}})) ==
        at("SignalRfft") + "input 0: got [8], expected lines of at most 4 numbers, fft_length");
  CHECK(error_of(file_of("SignalEnergy", {{"start_index", 0}, {"end_index", 5}}, {x}, {{uint32, {4}, "y"}}))
            .find("numbers must not be above the most (got 5, expected 4)") != std::string::npos);
  CHECK(error_of(
            file_of("SignalOverlapAdd", {{"T", 7}, {"frame_step", 9}}, {{int16, {1, 8}, "x"}}, {{int16, {9}, "y"}})) ==
        at("SignalOverlapAdd") + "input 0: got [1, 8], expected frames of at least 9 numbers, frame_step");
}

TEST_CASE("tflite: memory of unknown extents is refused in words") {
  file f = file_of("SignalDelay", {{"delay_length", 1}}, {{int16, {8}, "x"}}, {{int16, {8}, "y"}});
  f.tensors[0].signature = f.tensors[1].signature = {-1};
  CHECK(load_file(f.bytes(), true).error ==
        "subgraph 0: operator 0 CUSTOM \"SignalDelay\": input 0: got [-1], expected extents that are known, with "
        "memory that lasts from run to run");
}
