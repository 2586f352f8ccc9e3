// Code that runs before main, and before the constructor of a preloaded library: a library that the program needs is
// initialised before it (run-snippet.sh's own test looks at the order).
extern "C" {
#include "host.h"
}

__attribute__((constructor(101))) static void constructor() {
    host_early("constructor");
}

namespace {
struct Object {
    Object() { host_early("static_object"); }
} object;
} // namespace
