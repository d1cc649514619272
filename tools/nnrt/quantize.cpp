// quantize: nnrt quantize - a network of floats becomes one of 8 bits for an accelerator, by samples of its inputs.
// Flow: reads MODEL and the samples, calls calibrate(), prints what became of each layer, and saves a compiled model.
#include "command.hpp"
#include "samples.hpp"

#include <nnrt/exec/calibrate_model.hpp>
#include <nnrt/exec/calibration_report.hpp>
#include <nnrt/io/saved_model.hpp>
#include <nnrt/io/write_file.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

namespace nnrt_command {
namespace {

using nnrt::error_code;
using nnrt::fail;
using nnrt::result;

/// What the command line says.
struct wishes {
  std::string model, out, name, signature;
  std::string policy = "bayes", method = "mixed", source = "ddr";
  std::string page;
  std::vector<std::string> samples, in_16_bits, on_processor;
  nnrt::calibration_options options;
  nnrt::quantised_ends ends;
  bool is_strict = false, is_quiet = false, is_silent_about_layers = false, compares_nothing = false;
  std::string input_type = "featuremap", colours, range = "full";
  std::vector<float> mean, scale;
};

template <class Enum> std::map<std::string, Enum> by_name(std::initializer_list<Enum> values) {
  std::map<std::string, Enum> named;
  for (const Enum value : values) named.emplace(name_of(value), value);
  return named;
}

const std::map<std::string, nnrt::image_type>& image_types() {
  using enum nnrt::image_type;
  static const auto all = by_name({y, nv12, nv12_separate, yuv444, rgb, bgr});
  return all;
}
const std::map<std::string, nnrt::calibration_method>& methods() {
  using enum nnrt::calibration_method;
  static const auto all = by_name({max, percentile, kl, mixed});
  return all;
}
const std::map<std::string, nnrt::colours>& all_colours() {
  using enum nnrt::colours;
  static const auto all = by_name({gray, yuv444, rgb, bgr});
  return all;
}
template <class Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& all,
                                  std::initializer_list<std::string> first = {}) {
  std::vector<std::string> names(first);
  for (const auto& [name, value] : all) names.push_back(name);
  return names;
}

/// One line on stderr: rewritten in place on a terminal, else one for each stage.
class progress_line {
 public:
  static void show(void* me, std::string_view stage, std::size_t done, std::size_t all) {
    static_cast<progress_line*>(me)->show(stage, done, all);
  }
  void end() {
    if (is_terminal_ && !stage_.empty()) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  void show(std::string_view stage, std::size_t done, std::size_t all) {
    if (is_terminal_)
      std::fprintf(stderr, "\r\x1b[K%.*s: sample %zu of %zu", static_cast<int>(stage.size()), stage.data(), done + 1,
                   all);
    else if (stage_ != stage)
      std::fprintf(stderr, "%.*s: %zu samples\n", static_cast<int>(stage.size()), stage.data(), all);
    stage_ = stage;
  }

  std::string stage_;
  const bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
};

/// One number for all channels, or one for each of three.
result<void> set_channels(float (&to)[3], const std::vector<float>& numbers, std::string_view option) {
  if (numbers.size() != 0 && numbers.size() != 1 && numbers.size() != 3)
    return fail(error_code::invalid_argument, {option, ": got ", numbers.size(), " numbers, expected 1 or 3"});
  for (std::size_t c = 0; c < 3 && !numbers.empty(); ++c) to[c] = numbers.size() == 1 ? numbers[0] : numbers[c];
  return {};
}

/// Options of inputs. The type of an image determines the network's colours, unless --colours is given.
result<nnrt::saved_input> input_of(const wishes& wanted) {
  nnrt::saved_input made;
  made.source = wanted.source == "ddr" ? nnrt::input_source::ddr : nnrt::input_source::resizer;
  if (auto ok = set_channels(made.by.mean, wanted.mean, "--mean"); !ok) return fail(std::move(ok.error()));
  if (auto ok = set_channels(made.by.scale, wanted.scale, "--scale"); !ok) return fail(std::move(ok.error()));
  made.is_image = wanted.input_type != "featuremap";
  if (!made.is_image) return made;
  made.given = image_types().at(wanted.input_type);
  made.range = wanted.range == "full" ? nnrt::colour_range::full : nnrt::colour_range::bt601_video;
  using enum nnrt::image_type;
  made.seen = made.given == y        ? nnrt::colours::gray
              : made.given == bgr    ? nnrt::colours::bgr
              : made.given == yuv444 ? nnrt::colours::yuv444
                                     : nnrt::colours::rgb;
  if (!wanted.colours.empty()) made.seen = all_colours().at(wanted.colours);
  return made;
}

void print_report(const nnrt::saved_model& saved, const nnrt::calibrated_model& made, const wishes& wanted) {
  if (!wanted.is_silent_about_layers) std::printf("%s\n%s\n", made.text().c_str(), made.partition_text().c_str());
  std::size_t on_accelerator = 0;
  for (const nnrt::saved_place& at : saved.places) on_accelerator += at.on_accelerator ? 1U : 0U;
  double least = 1;
  std::string where;
  for (const nnrt::layer_report& layer : made.layers)
    if (layer.cosine < least) least = layer.cosine, where = layer.op + (layer.name.empty() ? "" : " ") + layer.name;
  std::printf("%s for %s: %zu of %zu nodes on the accelerator", saved.name.c_str(), saved.architecture.c_str(),
              on_accelerator, saved.places.size());
  if (wanted.options.report) std::printf(", least cosine %.6f%s%s", least, where.empty() ? "" : " at ", where.c_str());
  std::error_code is_no_file;
  const std::uintmax_t bytes = std::filesystem::file_size(wanted.out, is_no_file);
  if (is_no_file) std::printf("\nsaved %s\n", wanted.out.c_str());
  else std::printf("\nsaved %s, %ju bytes\n", wanted.out.c_str(), bytes);
}

/// Ends that were to hold quantised values, and do not: the processor reads or makes them, or they were none to begin
/// with.
void tell_of_float_ends(const nnrt::ir::graph& g, const nnrt::quantised_ends& wanted) {
  const auto tell = [&](const char* option, const char* end, nnrt::ir::range name, std::int32_t id, const char* why) {
    if (g.at(id).desc.type == nnrt::f32)
      std::fprintf(stderr, "nnrt: %s: %s %s stays a float: %s\n", option, end, nnrt::quoted(g.name_of(name)).c_str(),
                   why);
  };
  for (const std::int32_t id : g.inputs)
    if (wanted.inputs) tell("--stored-inputs", "input", g.at(id).name, id, "the processor reads it, too");
  for (const nnrt::ir::output& out : g.outputs)
    if (wanted.outputs) tell("--stored-outputs", "output", out.name, out.value, "the processor makes it");
}

/// What is wrong with the arguments together. Nothing has been read or written yet.
result<void> check_arguments(const wishes& wanted) {
  if (const auto input = input_of(wanted); !input) return fail(input.error());
  if (wanted.ends.inputs && wanted.input_type != "featuremap")
    return fail(error_code::invalid_argument, "--stored-inputs: inputs are images, which are no quantised values");
  std::error_code none;
  const auto same = [&](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() &&
           (std::filesystem::weakly_canonical(a, none) == std::filesystem::weakly_canonical(b, none)) &&
           !std::filesystem::is_character_file(a, none);
  };
  if (same(wanted.out, wanted.model)) return fail(error_code::invalid_argument, "--out: would replace MODEL");
  if (same(wanted.page, wanted.model)) return fail(error_code::invalid_argument, "--report: would replace MODEL");
  if (same(wanted.page, wanted.out))
    return fail(error_code::invalid_argument, "--report: would replace what --out writes");
  return {};
}

/// Whether the output file can be made: checked before the work, not after it.
result<void> check_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code none;
  if (const auto there = std::filesystem::symlink_status(path, none).type();
      there == std::filesystem::file_type::character || there == std::filesystem::file_type::fifo)
    return {};
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return {};
  return fail(error_code::io_failed, {path, ": cannot write there: ", std::string_view(std::strerror(errno))});
}

result<void> quantize(wishes& wanted) {
  const auto input = input_of(wanted);
  if (!input) return fail(input.error());
  for (const std::string& path : {wanted.out, wanted.page})
    if (auto ok = path.empty() ? result<void>() : check_folder_of(path); !ok) return ok;
  const auto network = read_model(wanted.model, wanted.signature);
  if (!network) return fail(network.error());
  nnrt::saved_model saved;
  saved.name = wanted.name.empty() ? std::filesystem::path(wanted.model).stem().string() : wanted.name;
  saved.architecture = wanted.policy;
  saved.inputs.assign(network->graph.inputs.size(), *input);
  for (std::size_t i = 0; i < saved.inputs.size(); ++i)  // before the work of calibrating
    if (auto ok = nnrt::check_input(saved.inputs[i], network->graph, i); !ok)
      return fail(std::move(ok.error()).in(wanted.model));
  sample_files samples(network->graph, input->by);
  for (const std::string& path : wanted.samples)
    if (auto ok = samples.add(path); !ok) return ok;
  wanted.options.method = methods().at(wanted.method);
  wanted.options.report = !wanted.compares_nothing;
  const std::vector<std::string_view> in_16_bits(wanted.in_16_bits.begin(), wanted.in_16_bits.end());
  wanted.options.in_16_bits = in_16_bits;
  const std::vector<std::string_view> on_processor(wanted.on_processor.begin(), wanted.on_processor.end());
  progress_line progress;
  if (!wanted.is_quiet) wanted.options.progress = &progress_line::show, wanted.options.progress_context = &progress;
  auto made = nnrt::calibrate(*network, {nnrt::find_accelerator(wanted.policy), wanted.is_strict, on_processor},
                              samples.source(), wanted.options, wanted.ends, saved.inputs);
  progress.end();
  if (!made) return fail(std::move(made.error()).in(wanted.model));
  saved.network = made->network;
  saved.places = made->places;
  saved.inputs = made->inputs;
  if (auto ok = nnrt::save_models(wanted.out, {&saved, 1}); !ok) return ok;
  if (!wanted.page.empty()) {
    const std::string page = nnrt::html_report(made->layers, saved.name + " for " + saved.architecture);
    if (auto ok = nnrt::write_file(wanted.page, std::as_bytes(std::span(page))); !ok) return ok;
  }
  print_report(saved, *made, wanted);
  tell_of_float_ends(saved.network.graph, wanted.ends);
  return {};
}

constexpr const char* footer =
    R"(Samples: x.npy has one sample, or several along the first axis. x.safetensors has a tensor for each input, of the
input's name (of networks with one input also the only tensor that fits). Any other file holds raw numbers of the
input's type. A folder stands for its .npy, .safetensors and .raw files. Numbers are what the network sees; u8 for an
input of floats are pixels, of which it sees (pixel - mean) * scale.

Examples:
  nnrt quantize net.tflite --policy bayes --samples images/ -o net.safetensors
  nnrt quantize net.tflite --policy bernoulli2 --input-type nv12 --colours rgb --mean 128 --scale 0.0078125 \
    --samples faces.npy -o net.safetensors
Exit codes: 0 done, 1 it failed (the reason is on stderr), 2 the arguments make no sense.)";

}  // namespace

void add_quantize(CLI::App& program, int& exit_code) {
  const auto wanted = std::make_shared<wishes>();
  CLI::App& command = *program.add_subcommand(
      "quantize", "Stores a network of floats in 8 bits for an accelerator, by samples of its inputs, and saves it.");
  command.footer(footer);
  std::vector<std::string> policies;
  for (const nnrt::accelerator* table : nnrt::all_accelerators()) policies.emplace_back(table->name);

  command.add_option("MODEL", wanted->model, "a TensorFlow Lite file, or a saved model")->required();
  command.add_option("-o,--out", wanted->out, "the saved model to write")->required();
  command
      .add_option("--samples", wanted->samples,
                  "files and folders with samples of the inputs, see below; as many as follow, so MODEL comes before "
                  "or after another option")
      ->required();
  command.add_option("--policy", wanted->policy, "the accelerator's architecture")
      ->capture_default_str()
      ->check(CLI::IsMember(policies));
  command.add_flag("--strict", wanted->is_strict,
                   "request what the accelerator runs only on request, and refuse a network with a node that it does "
                   "not take; what it takes, but nothing here stores in 8 bits (softmax), stays on the processor");
  command.add_option("--method", wanted->method, "how the threshold of each tensor is found")
      ->capture_default_str()
      ->check(CLI::IsMember(names_of(methods())));
  command
      .add_option("--percentile", wanted->options.percentile,
                  "the share of magnitudes that --method percentile and mixed keep")
      ->capture_default_str()
      ->check(CLI::Validator(
          [](std::string& text) {
            double share = 0;
            return CLI::detail::lexical_cast(text, share) && share > 0 && share <= 1
                       ? std::string()
                       : "got " + text + ", expected a number above 0 and at most 1";
          },
          "in (0, 1]"));
  command.add_option("--name", wanted->name, "what the network is called in the file (else as MODEL)");
  command.add_option("--signature", wanted->signature, "of a TensorFlow Lite file: the signature to read");
  command.add_option("--input-type", wanted->input_type, "what callers give for each input")
      ->capture_default_str()
      ->check(CLI::IsMember(names_of(image_types(), {"featuremap"})));
  command
      .add_option("--colours", wanted->colours,
                  "what the network was trained with (else: gray of y, rgb of nv12, and the image's own)")
      ->check(CLI::IsMember(names_of(all_colours())));
  command.add_option("--range", wanted->range, "what Y, U and V of images mean")
      ->capture_default_str()
      ->check(CLI::IsMember({"full", "bt601_video"}));
  command
      .add_option("--mean", wanted->mean, "the network sees (pixel - mean) * scale: one number, or three with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--scale", wanted->scale, "see --mean")->delimiter(',')->allow_extra_args(false);
  command
      .add_option("--input-source", wanted->source,
                  "where the accelerator reads inputs: ddr is memory, resizer cuts regions out of images")
      ->capture_default_str()
      ->check(CLI::IsMember({"ddr", "resizer"}));
  CLI::Option* const alone = command.add_flag("--no-comparison", wanted->compares_nothing,
                                              "do not run the stored network over the samples, too");
  command
      .add_option("--report", wanted->page, "a page of HTML with what became of each layer, in numbers and pictures")
      ->excludes(alone);
  command
      .add_option("--int16", wanted->in_16_bits,
                  "names of nodes, with commas, whose activations shall have 16 bits where the accelerator takes that")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--on-processor", wanted->on_processor,
                  "names of nodes, with commas, that shall run on the processor, whatever the accelerator takes")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--int32-tail", wanted->options.int32_tail,
                   "the last convolution or dense layer on the accelerator keeps its sums of 32 bits, with a scale for "
                   "each channel, unless it has an activation");
  command.add_flag("--stored-inputs", wanted->ends.inputs,
                   "inputs are the accelerator's quantised values, not floats that the processor converts");
  command.add_flag("--stored-outputs", wanted->ends.outputs, "the same of outputs");
  command.add_flag("--summary", wanted->is_silent_about_layers, "print the last two lines of the report alone");
  command.add_flag("-q,--quiet", wanted->is_quiet, "no progress on stderr");
  command.callback([wanted, &exit_code] {
    if (const auto ok = check_arguments(*wanted); !ok) {
      exit_code = complain(ok.error().message(), wrong_usage);
      return;
    }
    const auto ok = quantize(*wanted);
    exit_code = ok ? done : complain(ok.error().message());
  });
}

}  // namespace nnrt_command
