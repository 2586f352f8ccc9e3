#include "stats/histogram.h"

void histogram_add(struct histogram *h, uint64_t ns) {
    atomic_fetch_add_explicit(&h->buckets[histogram_index(ns)], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->sum, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->count, 1, memory_order_relaxed);
    uint64_t max = atomic_load_explicit(&h->max, memory_order_relaxed);
    while (ns > max &&
           !atomic_compare_exchange_weak_explicit(&h->max, &max, ns, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void add_own(_Atomic uint64_t *to, uint64_t n) {
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

void histogram_add_own(struct histogram *h, uint64_t ns) {
    add_own(&h->buckets[histogram_index(ns)], 1);
    add_own(&h->sum, ns);
    add_own(&h->count, 1);
    if (ns > atomic_load_explicit(&h->max, memory_order_relaxed))
        atomic_store_explicit(&h->max, ns, memory_order_relaxed);
}

void histogram_merge(struct histogram *sum, const struct histogram *from) {
    uint64_t max = atomic_load(&from->max);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t n = atomic_load_explicit(&from->buckets[i], memory_order_relaxed);
        sum->buckets[i] += n;
        sum->count += n;
    }
    sum->sum += atomic_load(&from->sum);
    sum->max = max > sum->max ? max : sum->max;
}

/* The count is that of the buckets, so that quantiles and count agree whatever happens meanwhile. */
void histogram_copy(struct histogram *to, const struct histogram *from, const struct histogram *before) {
    uint64_t count = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        to->buckets[i] = from->buckets[i] - (before ? before->buckets[i] : 0);
        count += to->buckets[i];
    }
    to->count = count;
    to->sum = from->sum - (before ? before->sum : 0);
    to->max = count ? atomic_load(&from->max) : 0;
}

uint64_t histogram_quantile(const struct histogram *h, double share) {
    if (!h->count)
        return 0;
    uint64_t rank = (uint64_t)(share * (double)h->count + 0.5), seen = 0;
    rank = rank < 1 ? 1 : rank;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        if ((seen += h->buckets[i]) >= rank) {
            uint64_t middle = histogram_lower(i) + (histogram_lower(i + 1) - histogram_lower(i)) / 2;
            return middle < h->max ? middle : h->max;
        }
    return h->max;
}
