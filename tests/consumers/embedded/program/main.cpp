// main: prints the file that it holds.
#include <nnrt/io/embed.hpp>

#include <cstdio>

NNRT_EMBED(words, "words.txt");

int main() { return std::fwrite(words.data(), 1, words.size(), stdout) == words.size() ? 0 : 1; }
