#!/bin/sh
# test-hit-rate.sh LIBRARY FOLDER: the four daemons' sequences: at least 99.9 % hits after the first operation of each key and thread.
library=$1 folder=$2 failed=0
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
for workload in hammer infernalis radosgw knet; do
    for op in encrypt decrypt; do
        : >"$report"
        LD_PRELOAD=$library PK11CACHE_REPORT=$report "$folder/$workload" --op $op --bytes 1024 --threads 2 --keys 3 --ops 60000 >/dev/null ||
            failed=1
        # 2 threads, 3 keys; a first operation makes at most 4 look-ups, plus those of the making of the keys
        awk -v name="$workload $op" -v first=$((2 * 3 * 4 * 2)) '
            $1 == "calls" { calls = $2 } $1 == "hits" { hits = $2 }
            END { share = calls ? hits / (calls - first) : 0
                  if (share > 1) share = 1
                  printf "%s: %d of %d calls hit, %.4f %%\n", name, hits, calls, 100 * share
                  exit !(share >= 0.999) }' "$report" || failed=1
    done
done
exit $failed
