// quantize_test: nnrt quantize, run as a program - what it saves, what it prints, how it ends.
#include "../../examples/digits/digits.hpp"
#include "../../examples/digits/held_out.hpp"

#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include "support/run_command.hpp"
#include "support/temporary_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

const std::string digits_folder = NNRT_TEST_DATA "/../../examples/digits/";
/// As in io/tflite/models_test.cpp: the environment's, or CMake's.
const std::string models_folder = [] {
  const char* const chosen = std::getenv("NNRT_MODELS_DIR");
  return std::string(chosen != nullptr ? chosen : NNRT_MODELS_DIR) + "/";
}();

std::string saved_digits(const temporary_folder& folder) {
  const auto network = nnrt::to_model<example::net>(nnrt::weights::open(digits_folder + "digits.safetensors").value());
  REQUIRE(network);
  REQUIRE(network->save(folder.file("digits.safetensors")));
  return folder.file("digits.safetensors");
}

/// A network of one node that no accelerator takes.
std::string saved_erf(const temporary_folder& folder) {
  nnrt::model_builder builder;
  const auto y = builder.apply<nnrt::ops::erf>({}, {builder.input("image", {nnrt::f32, {1, 8, 8, 1}}).value()}).value();
  REQUIRE(builder.output("y", y[0]));
  REQUIRE(builder.finish().save(folder.file("erf.safetensors")));
  return folder.file("erf.safetensors");
}

int read_rightly(const nnrt::model& network, const example::held_out& digits) {
  const auto compiled = nnrt::compile(network);
  REQUIRE(compiled);
  nnrt::session session(*compiled);
  int right = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    // A compiled network sees pixels - 128, of which the samples have sixteenths.
    if (session.input_desc(0).type == nnrt::i8)
      std::ranges::transform(digits.image(i), session.input<std::int8_t>(0).begin(),
                             [](float x) { return static_cast<std::int8_t>(std::lround(16 * x) - 128); });
    else std::ranges::copy(digits.image(i), session.input<float>(0).begin());
    REQUIRE(session.run());
    const auto p = session.output<float>(0);
    right += std::max_element(p.begin(), p.end()) - p.begin() == digits.label(i) ? 1 : 0;
  }
  return right;
}

/// A .npy file of version 1.0.
void write_npy(const std::string& path, const std::string& dictionary, const std::vector<float>& elements) {
  std::string header = dictionary;
  header.append(64 - (10 + header.size() + 1) % 64, ' ').push_back('\n');
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size() & 255U)
       << static_cast<char>(header.size() >> 8U) << header;
  file.write(reinterpret_cast<const char*>(elements.data()),
             static_cast<std::streamsize>(elements.size() * sizeof(float)));
}

}  // namespace

TEST_CASE("nnrt quantize: the digits network in 8 bits reads at most half a point fewer digits, on each architecture") {
  const temporary_folder folder;
  const std::string network = saved_digits(folder), out = folder.file("out.safetensors");
  const auto digits =
      example::held_out::of(nnrt::weights::open(digits_folder + "held_out.safetensors").value()).value();
  const int by_floats = read_rightly(nnrt::model::load(network).value(), digits);
  for (const std::string policy : {"bayes", "bayes_e", "bernoulli2"}) {
    CAPTURE(policy);
    const outcome made = run_command("quantize " + network + " --policy " + policy + " --samples " + digits_folder +
                                     "held_out.safetensors --input-type y --scale 0.0625 --name reader -o " + out);
    CAPTURE(made.text);
    REQUIRE(made.exit_code == 0);
    CHECK(made.says("ranges: 360 samples"));
    CHECK(made.says("accelerator  conv2d \"conv2\""));
    CHECK(made.says("processor    softmax  - "));
    const auto saved = nnrt::load_models(out);
    REQUIRE(saved);
    CHECK(saved->front().name == "reader");
    CHECK(saved->front().architecture == policy);
    CHECK(saved->front().places.size() == saved->front().network.graph.nodes.size());
    CHECK(saved->front().inputs.at(0).given == nnrt::image_type::y);
    CHECK(saved->front().network.graph.at(saved->front().network.graph.inputs[0]).desc.type == nnrt::i8);
    CHECK(saved->front().inputs.at(0).by.scale[0] == 0.0625F);
    const int by_bytes = read_rightly(saved->front().network, digits);
    CAPTURE(by_bytes);
    CHECK(200 * (by_floats - by_bytes) <= static_cast<int>(digits.size()));
  }
}

TEST_CASE("nnrt quantize: a raw file has all its samples for an input of as many axes as a tensor can have, too") {
  const temporary_folder folder;
  nnrt::model_builder builder;
  const auto y =
      builder.apply<nnrt::ops::relu>({}, {builder.input("deep", {nnrt::f32, {1, 1, 1, 1, 1, 1, 1, 4}}).value()})
          .value();
  REQUIRE(builder.output("y", y[0]));
  REQUIRE(builder.finish().save(folder.file("deep.safetensors")));
  std::vector<float> two(8, 1.0F);
  two[5] = std::nanf("");  // what is said of it shows that the second sample is one
  std::ofstream(folder.file("two.raw"), std::ios::binary).write(reinterpret_cast<const char*>(two.data()), 32);
  const outcome made = run_command("quantize " + folder.file("deep.safetensors") + " --samples " +
                                   folder.file("two.raw") + " -o " + folder.file("out.safetensors"));
  CAPTURE(made.text);
  CHECK(made.exit_code == 1);
  CHECK(made.says("input \"deep\" of sample 1: got nan at element 1, expected numbers"));
}

TEST_CASE("nnrt quantize: samples come from .npy files, raw numbers and folders, with the same result") {
  const temporary_folder folder;
  const std::string network = saved_digits(folder);
  std::vector<float> elements(3 * 64);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i % 17) / 16;
  std::filesystem::create_directory(folder.file("samples"));
  write_npy(folder.file("samples/three.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8, 8, 1), }",
            elements);
  std::ofstream(folder.file("three.f32"), std::ios::binary)
      .write(reinterpret_cast<const char*>(elements.data()),
             static_cast<std::streamsize>(elements.size() * sizeof(float)));
  const auto quantised = [&](const std::string& samples) {
    const std::string out = folder.file("out.safetensors");
    const outcome made =
        run_command("quantize -q --summary --method max " + network + " --samples " + samples + " -o " + out);
    CAPTURE(made.text);
    REQUIRE(made.exit_code == 0);
    CHECK(made.text.starts_with("digits for bayes: "));
    std::ifstream file(out, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string by_npy = quantised(folder.file("samples/three.npy"));
  CHECK(by_npy == quantised(folder.file("samples")));
  CHECK(by_npy == quantised(folder.file("three.f32")));
}

TEST_CASE("nnrt quantize: named nodes get 16 bits, and a page shows every layer") {
  const temporary_folder folder;
  const std::string network = saved_digits(folder), page = folder.file("report.html");
  const outcome made =
      run_command("quantize -q " + network + " --samples " + digits_folder +
                  "held_out.safetensors --int16 conv2 --report " + page + " -o " + folder.file("out.safetensors"));
  CAPTURE(made.text);
  REQUIRE(made.exit_code == 0);
  CHECK(made.says("16 bits"));
  CHECK(made.says(" 8 bits"));
  std::ifstream file(page);
  const std::string html{std::istreambuf_iterator<char>(file), {}};
  CHECK(html.find("<title>digits for bayes</title>") != html.npos);
  CHECK(html.find("<td>conv2d</td><td>conv2</td>") != html.npos);
}

TEST_CASE("nnrt quantize: the last layer keeps its sums, and ends may be quantised values") {
  const temporary_folder folder;
  const std::string network = saved_digits(folder), out = folder.file("out.safetensors"),
                    samples = " --samples " + digits_folder + "held_out.safetensors";
  const outcome made =
      run_command("quantize -q --int32-tail --stored-inputs --stored-outputs " + network + samples + " -o " + out);
  CAPTURE(made.text);
  REQUIRE(made.exit_code == 0);
  CHECK(made.says("32 bits"));
  CHECK(made.says("accelerator  layer_sums"));
  CHECK(made.says("--stored-outputs: output \"probability\" stays a float: the processor makes it"));
  CHECK_FALSE(made.says("--stored-inputs:"));
  const auto saved = nnrt::load_models(out);
  REQUIRE(saved);
  const nnrt::ir::graph& g = saved->front().network.graph;
  CHECK(g.at(g.inputs[0]).desc.type == nnrt::i8);
}

TEST_CASE(
    "nnrt quantize: a TensorFlow Lite network in 8 bits is nearer to its floats than the int8 network of its makers") {
  const std::string path = models_folder + "image_classification/";
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: no models in " << models_folder);
    return;
  }
  const temporary_folder folder;
  std::string samples;
  for (const char* number : {"0", "1", "2"}) samples += path + number + ".input.f32 ";
  const outcome made = run_command("quantize " + path + "resnet8_float.tflite --policy bayes --samples " + samples +
                                   "-o " + folder.file("out"));
  CAPTURE(made.text);
  REQUIRE(made.exit_code == 0);
  const auto saved = nnrt::load_models(folder.file("out"));
  REQUIRE(saved);
  CHECK(std::count_if(saved->front().places.begin(), saved->front().places.end(),
                      [](const nnrt::saved_place& at) { return at.on_accelerator; }) >= 11);
  const auto compiled = nnrt::compile(saved->front().network);
  REQUIRE(compiled);
  nnrt::session session(*compiled);
  for (const char* number : {"0", "1", "2"}) {
    const auto input = session.input<float>(0);
    std::ifstream(path + number + ".input.f32", std::ios::binary)
        .read(reinterpret_cast<char*>(input.data()), static_cast<std::streamsize>(input.size_bytes()));
    REQUIRE(session.run());
    std::vector<float> expected(10);
    std::vector<std::int8_t> makers(10);  // scale 1/256, zero point -128
    std::ifstream(path + number + ".output.f32", std::ios::binary).read(reinterpret_cast<char*>(expected.data()), 40);
    std::ifstream(path + number + ".output.i8", std::ios::binary).read(reinterpret_cast<char*>(makers.data()), 10);
    const auto got = session.output<float>(0);
    float ours = 0, theirs = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      ours = std::max(ours, std::fabs(got[i] - expected[i]));
      theirs = std::max(theirs, std::fabs((static_cast<float>(makers[i]) + 128) / 256 - expected[i]));
    }
    CHECK(ours < theirs);
  }
}

TEST_CASE("nnrt quantize: booleans of samples that are neither 0 nor 1 are refused, however the file has them") {
  const temporary_folder folder;
  nnrt::model_builder builder;
  const std::int32_t mask = builder.input("mask", {nnrt::boolean, {1, 4}}).value(),
                     zero = builder.constant<float>({nnrt::f32, {1}}, std::vector<float>{0}).value(),
                     one = builder.constant<float>({nnrt::f32, {1}}, std::vector<float>{1}).value();
  REQUIRE(builder.output("y", builder.apply<nnrt::ops::select>({}, {mask, one, zero}).value()[0]));
  REQUIRE(builder.finish().save(folder.file("mask.safetensors")));
  const std::string bytes("\1\0\2\1", 4);
  write_npy(folder.file("bad.npy"), "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 4), }",
            {std::bit_cast<float>(std::uint32_t{0x01020001})});
  std::ofstream(folder.file("bad.raw"), std::ios::binary) << bytes;
  for (const std::string name : {"bad.npy", "bad.raw"}) {
    const outcome made = run_command("quantize " + folder.file("mask.safetensors") + " --samples " + folder.file(name) +
                                     " -o " + folder.file("out.safetensors"));
    CAPTURE(made.text);
    CHECK(made.exit_code == 1);
    CHECK(made.says(name + ": input \"mask\": element 2: got 2, expected 0 or 1 for a boolean"));
  }
}

TEST_CASE("nnrt quantize: what fails ends with 1, what makes no sense with 2, and both say why") {
  const temporary_folder folder;
  const std::string network = saved_digits(folder), out = " -o " + folder.file("out.safetensors"),
                    samples = " --samples " + digits_folder + "held_out.safetensors";
  std::string damaged = folder.file("damaged.safetensors");
  std::filesystem::copy_file(network, damaged);
  std::fstream(damaged, std::ios::binary | std::ios::in | std::ios::out).seekp(-3, std::ios::end).put('\x55');
  write_npy(folder.file("small.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", {1, 2});
  write_npy(folder.file("wide.npy"), "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", {1, 2});
  write_npy(folder.file("turned.npy"), "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", {1, 2});
  write_npy(folder.file("untold.npy"), "{'descr': '<f4', 'shape': (2,), }", {1, 2});
  write_npy(folder.file("untyped.npy"), "{'fortran_order': False, 'shape': (2,), }", {1, 2});
  write_npy(folder.file("short.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", {1, 2});
  std::vector<float> two_images(128, 0.5F);
  two_images[64 + 3] = std::nanf("");
  std::ofstream(folder.file("nan.raw"), std::ios::binary).write(reinterpret_cast<const char*>(two_images.data()), 512);
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  write_npy(folder.file("promising.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (274877906944,), }",
            {1, 2});
  for (const auto& [name, bytes] :
       {std::pair{"tera.raw", 1ULL << 40U}, {"tera.npy", 1ULL << 40U}, {"many.raw", 256 * ((1ULL << 20U) + 1)}}) {
    if (name != std::string("tera.npy")) std::ofstream(folder.file(name)).put('\0');
    else write_npy(folder.file(name), "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }", {1, 2});
    std::filesystem::resize_file(folder.file(name), bytes);  // zeros that take no room on the disk
  }
  struct row {
    const char* what;
    std::string arguments;
    int exit_code;
    const char* says;
  };
  std::ofstream(folder.file("empty.tflite"));
  std::ofstream(folder.file("net.onnx")) << "\x08\x07\x12\x07pytorch";
  const row table[] = {
      {"no arguments", "", 2, "A subcommand is required"},
      {"no samples", "quantize " + network + out, 2, "--samples is required"},
      {"an architecture that is none", "quantize " + network + samples + out + " --policy nash", 2, "--policy"},
      {"no file", "quantize " + folder.file("none") + samples + out, 1, "none: cannot open"},
      {"a pipe for a model", "quantize " + folder.file("pipe") + samples + out, 1,
       "pipe: is a pipe, expected a regular file"},
      {"a pipe for samples", "quantize " + network + " --samples " + folder.file("pipe") + out, 1,
       "pipe: is a pipe, expected a regular file"},
      {"standard input that is a device", "quantize /dev/stdin" + samples + out + " < /dev/null", 1,
       "/dev/stdin: is a device, expected a regular file"},
      {"an output that nobody reads from", "quantize " + network + samples + " -o " + folder.file("pipe"), 1,
       "pipe: cannot write: nobody reads from it"},
      {"a damaged file", "quantize " + damaged + samples + out, 1, "its bytes are damaged"},
      {"a file of another format than its name says", "quantize " + folder.file("empty.tflite") + samples + out, 1,
       "empty.tflite: got 0 bytes, expected "},
      {"a file of no format that is read", "quantize " + folder.file("net.onnx") + samples + out, 1,
       "net.onnx: neither a .tflite file nor a saved model: got 11 bytes"},
      {"a strict policy", "quantize --strict " + saved_erf(folder) + samples + out, 1,
       "erf: operator must be in the table (got 0, expected 1)"},
      {"samples of another size", "quantize " + network + " --samples " + folder.file("small.npy") + out, 1,
       "small.npy: input \"image\": got f32 [2], expected f32 [1, 8, 8, 1]"},
      {"big-endian samples", "quantize " + network + " --samples " + folder.file("wide.npy") + out, 1,
       "wide.npy: has elements of type '>f4'"},
      {"samples in Fortran's order", "quantize " + network + " --samples " + folder.file("turned.npy") + out, 1,
       "turned.npy: is in Fortran's order"},
      {"samples of no known order", "quantize " + network + " --samples " + folder.file("untold.npy") + out, 1,
       "untold.npy: has no 'fortran_order' in its header"},
      {"samples of no known type", "quantize " + network + " --samples " + folder.file("untyped.npy") + out, 1,
       "untyped.npy: has no 'descr' in its header"},
      {"samples that end early", "quantize " + network + " --samples " + folder.file("short.npy") + out, 1,
       "short.npy: has 8 bytes of elements, expected 12"},
      {"samples that end a terabyte early", "quantize " + network + " --samples " + folder.file("promising.npy") + out,
       1, "promising.npy: has 8 bytes of elements, expected 1099511627776"},
      {"raw samples of a terabyte", "quantize " + network + " --samples " + folder.file("tera.raw") + out, 1,
       "tera.raw: has 1099511627776 bytes, expected at most 68719476736"},
      {"samples of a terabyte", "quantize " + network + " --samples " + folder.file("tera.npy") + out, 1,
       "tera.npy: has 1099511627776 bytes, expected at most 68719476736"},
      {"too many samples", "quantize " + network + " --samples " + folder.file("many.raw") + out, 1,
       "many.raw: has 1048577 samples, expected at most 1048576 more, 1048576 of all files together"},
      {"a folder without samples", "quantize " + network + " --samples " + digits_folder + "../affine" + out, 1,
       "has no .npy, .safetensors or .raw file"},
      {"an image that the input cannot be", "quantize " + network + samples + out + " --input-type nv12", 1,
       "input \"image\" is f32 [1, 8, 8, 1], expected f32 [N, H, W, 3]"},
      {"a node that there is not", "quantize " + network + samples + out + " --on-processor nobody", 1,
       "no node is called \"nobody\", which shall run on the processor"},
      {"an image of quantised values", "quantize " + network + samples + out + " --input-type y --stored-inputs", 2,
       "--stored-inputs: inputs are images"},
      {"a subcommand that there is not", "bogus", 2, "there is no subcommand \"bogus\""},
      {"a model that would be replaced",
       "quantize " + network + samples + " -o " + folder.path() + "/./digits.safetensors", 2,
       "--out: would replace MODEL"},
      {"a report in the model's place",
       "quantize " + network + samples + out + " --report " + folder.file("out.safetensors"), 2,
       "--report: would replace what --out writes"},
      {"a folder that is not there",
       "quantize " + network + samples + out + " --report " + folder.file("no/such/page.html"), 1,
       "page.html: cannot write there: No such file or directory"},
      {"a share that is none", "quantize " + network + samples + out + " --percentile nan", 2, "--percentile"},
      {"a share of nothing", "quantize " + network + samples + out + " --percentile 0", 2, "--percentile"},
      {"a mean that is no number", "quantize " + network + samples + out + " --mean nan", 1,
       "input \"image\" has a mean or scale of channel 0 that is no finite number"},
      {"a scale of 0", "quantize " + network + samples + out + " --input-type y --scale 0", 1,
       "input \"image\" has scales that are all 0"},
      {"a sample that is no number", "quantize " + network + " --samples " + folder.file("nan.raw") + out, 1,
       "input \"image\" of sample 1: got nan at element 3, expected numbers"},
      {"two means", "quantize " + network + samples + out + " --mean 1,2", 2, "--mean: got 2 numbers, expected 1 or 3"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const outcome made = run_command(r.arguments);
    CAPTURE(made.text);
    CHECK(made.exit_code == r.exit_code);
    CHECK(made.says(r.says));
    CHECK_FALSE(std::filesystem::exists(folder.file("out.safetensors")));
  }
}

TEST_CASE(
    "nnrt quantize: a device is written to, a link is replaced, and a report that nobody can read is no success") {
  const temporary_folder folder;
  const std::string quantized =
      "quantize -q " + saved_digits(folder) + " --samples " + digits_folder + "held_out.safetensors";
  const outcome made = run_command(quantized + " --summary -o /dev/null");
  CHECK(made.exit_code == 0);
  CHECK(made.says("saved /dev/null\n"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  std::filesystem::create_symlink("/dev/null", folder.file("sink"));
  CHECK(run_command(quantized + " --summary -o " + folder.file("sink")).exit_code == 0);
  CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder.file("sink"))));
  const outcome unread = run_command(quantized + " -o " + folder.file("out.safetensors") + " > /dev/full 2> " +
                                     folder.file("said") + "; ended=$?; cat " + folder.file("said") + "; exit $ended");
  CHECK(unread.exit_code == 1);
  CHECK(unread.says("nnrt: cannot print the report: No space left on device"));
}

TEST_CASE("nnrt: --help and --version say what there is") {
  const outcome help = run_command("quantize --help"), version = run_command("--version");
  CHECK(help.exit_code == 0);
  for (const char* option : {"--policy", "--samples", "--method", "--input-type", "--input-source", "Exit codes"})
    CHECK(help.says(option));
  CHECK(version.exit_code == 0);
  CHECK(version.text == std::string("nnrt ") + nnrt::version + "\n");
}
