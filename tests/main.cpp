// main: doctest's main, alone in its file because its implementation costs more to compile than a folder of tests.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
