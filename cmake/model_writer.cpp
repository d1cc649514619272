// model_writer: writes a model file as C++ text that NNRT_MODEL reads; the nnrt command's `embed`, without its
// libraries.
// Flow: CMake's nnrt_model() builds it once for a project. usage: PROGRAM MODEL -o TEXT --name NAME --path PATH --quiet
#include <nnrt/io/file.hpp>
#include <nnrt/io/model_literal.hpp>
#include <nnrt/io/write_file.hpp>

#include <cstdio>

namespace {
nnrt::result<void> write(const char* model, const char* to, const char* name, const char* path) {
  auto file = nnrt::mapped_file::open(model);
  if (!file) return nnrt::fail(std::move(file.error()));
  auto text = nnrt::model_literal(nnrt::letters_of(file->bytes()), name, path);
  if (!text) return nnrt::fail(std::move(text.error()).in(model));
  return nnrt::write_file(to, std::as_bytes(std::span(*text)));
}
}  // namespace

int main(int count, char** arguments) {
  if (count != 9) return 2;
  const auto done = write(arguments[1], arguments[3], arguments[5], arguments[7]);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return done ? 0 : 1;
}
