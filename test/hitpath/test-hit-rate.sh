#!/bin/sh
# test-hit-rate.sh LIBRARY FOLDER: the four daemons' sequences: at least 99.9 % hits after the first operation of each key and thread.
library=$1 folder=$2 failed=0
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT

rate() { # workload, operation: 2 threads, 3 keys; a first operation has at most 4 look-ups, as has the making of each key
    : >"$report"
    LD_PRELOAD=$library PK11CACHE_REPORT=$report "$folder/$1" --op "$2" --bytes 1024 --threads 2 --keys 3 --ops 60000 >/dev/null ||
        return 1
    awk -v name="$1 $2" -v first=$((2 * 3 * 4 * 2)) '
        $1 == "calls" { calls = $2 } $1 == "hits" { hits = $2 }
        END { share = calls > first ? hits / (calls - first) : 0
              if (share > 1) share = 1
              printf "%s: %d of %d calls hit, %.4f %%\n", name, hits, calls, 100 * share
              exit !(share >= 0.999) }' "$report"
}

for workload in hammer infernalis radosgw knet; do
    for op in encrypt decrypt; do
        rate $workload $op || failed=1
    done
done
echo "and with the cache off:"
PK11CACHE_ENGINE=off rate hammer encrypt && { echo "that passed: the check is blind"; failed=1; }
exit $failed
