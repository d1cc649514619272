// json_fuzz: any bytes as JSON. What json_reader accepts and json_writer writes down again must read as the same
// events.
#include <nnrt/io/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using nnrt::json_event;

namespace {

struct reading {
  std::vector<json_event> events;
  std::string rewritten;
  bool is_broken = false;
};

void require(bool holds) {
  if (!holds) std::abort();
}

// NOLINTNEXTLINE(bugprone-branch-clone): one line per event
void write_down(nnrt::json_writer& out, json_event event, const nnrt::json_reader& in) {
  switch (event) {
    case json_event::begin_object: out.begin_object(); break;
    case json_event::end_object: out.end_object(); break;
    case json_event::begin_array: out.begin_array(); break;
    case json_event::end_array: out.end_array(); break;
    case json_event::key: out.key(in.string()); break;
    case json_event::string: out.string(in.string()); break;
    case json_event::integer: out.integer(in.integer()); break;
    case json_event::real: out.real(in.real()); break;
    case json_event::true_or_false: out.boolean(in.boolean()); break;
    case json_event::null: out.null(); break;
    case json_event::end:
    case json_event::broken: break;
  }
}

reading read(std::string_view text) {
  reading all;
  nnrt::json_reader in(text);
  nnrt::json_writer out;
  for (json_event event = in.next(); event != json_event::end; event = in.next()) {
    if (event == json_event::broken) {
      require(in.is_broken() && !in.reason().message().empty());
      all.is_broken = true;
      break;
    }
    require(in.depth() <= nnrt::json_reader::max_depth && in.position() < text.size());
    write_down(out, event, in);
    // Whole numbers written as reals come back as integers.
    all.events.push_back(event == json_event::real ? json_event::integer : event);
  }
  all.rewritten = std::move(out).take();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const reading once = read(text);
  nnrt::json_reader skipping(text);
  require((skipping.skip() && skipping.next() == json_event::end) == !once.is_broken);
  if (once.is_broken) return 0;
  const reading twice = read(once.rewritten);
  require(!twice.is_broken && twice.events == once.events);
  return 0;
}
