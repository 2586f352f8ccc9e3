#include "sequences.h"

int main(int argc, char **argv) {
    return workload_main(argc, argv, &sequence_infernalis);
}
