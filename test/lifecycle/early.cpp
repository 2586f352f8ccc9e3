// Code that encrypts before main: a C constructor of high priority, and a static C++ object. And one that does after it.
extern "C" {
#include "scenario.h"
}

__attribute__((constructor(101))) static void constructor() {
    init();
    hammer("constructor", 1);
}

struct Object {
    Object() { hammer("static object", 1); }
    ~Object() {
        hammer("its destructor", 1);
        print_shutdown("destructor");
        fflush(stdout);
    }
} object;

int main() {
    hammer("main", 1);
    hammer("main", 1);
}
