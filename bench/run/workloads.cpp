// workloads: every workload of bench/workloads, in floats and in quantised values, by nnrt and by the peers, with 1 and
// 2 threads, each with the machine's peak at that time.
// Flow: bench/run.sh runs it with repetitions and reads its JSON; profile.cpp says which steps lose what.
#include "support/measured.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace {

/// The words of "--name=a,b" among the arguments, which lose it; `found` tells whether it was there.
std::set<std::string> take_list(int& argc, char** argv, const std::string& name, bool& found) {
  std::set<std::string> words;
  const std::string prefix = "--" + name + "=";
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    found = true;
    std::string rest = argv[i] + prefix.size();
    for (std::size_t comma; !rest.empty(); rest = comma == std::string::npos ? "" : rest.substr(comma + 1)) {
      comma = rest.find(',');
      words.insert(rest.substr(0, comma));
    }
  }
  argc = kept;
  return words;
}

void print_names() {
  for (const bench::workload& w : bench::workloads()) std::printf("workload %s: %s\n", w.key.c_str(), w.name.c_str());
  for (const bench::peer& p : bench::peers()) std::printf("peer %s: %s\n", p.name.c_str(), p.title.c_str());
}

}  // namespace

/// usage: bench_workloads [--list] [--only=WORKLOAD,...] [--peers=PEER,...] [what Google Benchmark takes]
int main(int argc, char** argv) {
  bool some_workloads = false, some_peers = false;
  const std::set<std::string> only = take_list(argc, argv, "only", some_workloads),
                              peers = take_list(argc, argv, "peers", some_peers);
  auto& all = bench::workloads();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::pair(a.group, a.key) < std::pair(b.group, b.key); });
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0) return print_names(), 0;
  for (const std::string& key : only)
    if (std::none_of(all.begin(), all.end(), [&](const auto& w) { return w.key == key; })) {
      std::fprintf(stderr, "there is no workload %s\n", key.c_str());
      return 2;
    }
  for (const bench::peer& p : bench::peers()) benchmark::AddCustomContext("peer_" + p.name, p.title);
  for (const bench::workload& w : all) {
    if (some_workloads && only.count(w.key) == 0) continue;
    for (const nnrt::dtype type : {nnrt::f32, nnrt::i8})
      for (const int threads : {1, 2}) {
        if (threads > 1 && w.floats.is_micro) continue;
        bench::add_row(w, type, threads, nullptr);
        for (const bench::peer& p : bench::peers())
          if (!some_peers || peers.count(p.name) != 0) bench::add_row(w, type, threads, &p);
      }
  }
  return bench::run_benchmarks(argc, argv);
}
