#!/bin/bash
# starve.sh BUILD SHIM: every single request of the library for memory fails once, and from each on all do: the programs' answers stay right (each is
# compared with OpenSSL's), and NSS shuts down.
build=$1 shim=$2 dir=$(mktemp -d) failed=0 runs=0
trap 'rm -rf "$dir"' EXIT
export PK11CACHE_SOCKET="$dir/%p" LD_PRELOAD="$shim:$build/libpk11cache.so"
one() { # settings... -- program...
    env "$@" >"$dir/out" 2>&1 || { echo "FAILED ($?): $*: $(tail -3 "$dir/out")"; failed=1; }
    runs=$((runs + 1))
}
for program in hammer infernalis radosgw knet; do
    command=("$build/workloads/$program" --ops 300 --threads 3 --keys 5 --check)
    rm -f "$dir/count"
    one STARVE_COUNT="$dir/count" "${command[@]}"
    count=$(cat "$dir/count")
    [ "$count" -ge 5 ] || { echo "FAILED: only $count requests were seen: the shim is blind"; failed=1; }
    for n in $(seq $((count + 2))); do
        one STARVE_AT=$n "${command[@]}"
        [ "$n" -gt 12 ] || one STARVE_AT=$n STARVE_ON=1 "${command[@]}"
    done
    echo "$program: $count requests"
done
one STARVE_AT=1 STARVE_ON=1 "$build/test/lifecycle/lifecycle_forks" after_use
one STARVE_AT=3 STARVE_ON=1 "$build/test/lifecycle/lifecycle_shutdowns" rounds
echo "$runs runs"
exit $failed
