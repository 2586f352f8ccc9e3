/* sequences.h - Ceph's two call sequences, for the workloads of their name and for the object server and its load.
 *
 * Both run on any number of threads at once with one state: it is only read. */
#ifndef WORKLOAD_SEQUENCES_H
#define WORKLOAD_SEQUENCES_H

#include "workload.h"

extern const struct sequence sequence_hammer, sequence_infernalis;

#endif
