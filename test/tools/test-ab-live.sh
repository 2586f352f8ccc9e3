#!/bin/bash
# test-ab-live.sh BUILD: `pk11cache ab live` on running programs: right figures, honest A/A, a known difference, and everything that can
# end it early. No time is asserted; one workload lives through most of it.
build=$1 tool=$1/pk11cache dir=$(mktemp -d) failed=0 pids=()
trap 'for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done; rm -rf "$dir"' EXIT
complain() { echo "FAILED: $*"; failed=1; }
start() { # name, environment...: a hammer that checks every answer
    local name=$1
    shift
    env "$@" PK11CACHE_SOCKET="$dir/$name" LD_PRELOAD="$build/libpk11cache.so" "$build/workloads/hammer" --bytes 29 --threads 4 --check --seconds 600 \
        >"$dir/$name.out" 2>&1 &
    pids+=($!)
    for _ in $(seq 100); do [ -S "$dir/$name" ] && return; sleep 0.05; done
    complain "no socket of $name: $(cat "$dir/$name.out")"
}
ask() { echo "$2" | socat -t 5 - "UNIX:$dir/$1"; }

start one PK11CACHE_VERIFY=100
# the experiment itself; each thread may be met in the middle of an operation once
"$tool" ab live "$dir/one" --duration 2 --json "$dir/j" --plot "$dir/p.svg" >"$dir/out" 2>"$dir/err" || complain "exit $?: $(cat "$dir/err")"
for words in 'control ' 'cached ' 'p50   difference' 'times as fast' 'the cache saves' 'encrypt        32'; do
    grep -q "$words" "$dir/out" || complain "no \"$words\" in: $(cat "$dir/out")"
done
jq -e '.raw.arms as $a | ($a[0].operations + $a[1].operations) as $all
    | $all > 1000 and ($a[0].operations / $all | . > 0.45 and . < 0.55)
    and ($a | all(.bytes == 29 * .operations and .operations - .keyed <= 4 and 7 * .operations - .calls <= 12 and 7 * .operations >= .calls))
    and ($a | all(.operations == ([.classes[].count] | add) + .cpu.count))
    and .comparisons.p50.ratio.high < 1 and .raw.discarded <= 4 and (.raw.running | not)' "$dir/j" >/dev/null || complain "the JSON: $(jq -c 'del(.raw.arms[].classes)' "$dir/j")"
grep -q '<svg' "$dir/p.svg" && grep -q 'latency of an operation (us)' "$dir/p.svg" && grep -q 'bare NSS' "$dir/p.svg" || complain "the plot"
stat=$("$tool" stat --all "$dir/one")
echo "$stat" | grep -q '^verify_mismatches  *0 ' || complain "verify: $(echo "$stat" | grep verify)"
echo "$stat" | awk '$1 == "verify_checks" && $2 > 100 { found = 1 } END { exit !found }' || complain "too few were verified"

# a share of its own
"$tool" ab live "$dir/one" --duration 1 --share 0.1 --json - 2>/dev/null | jq -e '.raw.arms as $a | ($a[0].operations / ($a[0].operations + $a[1].operations)) | . > 0.08 and . < 0.12' >/dev/null || complain "a share of 0.1"

# A/A: of 100, at least 90 show no difference; half with both arms bare, half with both cached
none=0
for seed in $(seq ${ROUNDS:-50}); do
    for arms in bare cached; do
        "$tool" ab live "$dir/one" --aa $arms --duration 0.12 --seed $seed >"$dir/aa" 2>&1
        grep -q '^No difference shown' "$dir/aa" && none=$((none + 1))
    done
done
echo "A/A: $none of 100 show no difference"
[ $none -ge 90 ] || complain "A/A: $none of 100"

# a difference of 20 us, through the test hook: inside the interval of the mean's difference
hit=0
for seed in 1 2 3; do
    "$tool" ab live "$dir/one" --aa cached --delay 20000 --duration 1 --seed $seed --json - 2>/dev/null |
        jq -e '.comparisons | .mean.difference_ns.low < -20000 and .mean.difference_ns.high > -20000 and .p50.ratio.high < 1' >/dev/null && hit=$((hit + 1))
done
[ $hit -ge 2 ] || complain "the known difference was in $hit of 3 intervals"

# Ctrl-C: what there is, and the daemon as it was
"$tool" ab live "$dir/one" --duration 600 >"$dir/out" 2>&1 &
pid=$!
sleep 1.5
"$tool" ab live "$dir/one" --duration 1 >"$dir/second" 2>&1 && complain "a second experiment at the same time"
grep -q 'an experiment is running' "$dir/second" || complain "the second says: $(cat "$dir/second")"
kill -INT $pid
wait $pid || complain "after Ctrl-C: exit $?"
grep -q 'it was ended early' "$dir/out" && grep -q 'times as fast' "$dir/out" || complain "after Ctrl-C: $(cat "$dir/out")"
ask one 'show ab' | grep -q '^running: no' || complain "it still runs after Ctrl-C"

# kill -9: it ends by itself
"$tool" ab live "$dir/one" --duration 2 >/dev/null 2>&1 &
pid=$!
sleep 0.7
ask one 'show ab' | grep -q '^running: yes' || complain "it does not run"
kill -9 $pid
wait $pid 2>/dev/null
sleep 2
ask one 'show ab' | grep -q '^running: no' || complain "it did not end by itself"

# a program that only makes contexts, and keeps its key
PK11CACHE_SOCKET="$dir/inf" LD_PRELOAD="$build/libpk11cache.so" "$build/workloads/infernalis" --bytes 128 --op decrypt --check --seconds 600 >"$dir/inf.out" 2>&1 &
pids+=($!)
for _ in $(seq 100); do [ -S "$dir/inf" ] && break; sleep 0.05; done
"$tool" ab live "$dir/inf" --duration 1 --json - 2>"$dir/err" |
    jq -e '.raw.arms | all(.keyed == 0 and .calls == 4 * .operations and .classes[0].direction == "decrypt" and .operations > 100)' >/dev/null || complain "infernalis: $(cat "$dir/err")"

# it dies in the middle
start two
"$tool" ab live "$dir/two" --duration 30 >"$dir/out" 2>&1 &
pid=$!
sleep 1.5
kill -9 "${pids[-1]}"
wait $pid && complain "exit 0 though the program died"
grep -q 'the process ended' "$dir/out" && grep -q 'times as fast' "$dir/out" || complain "it died: $(cat "$dir/out")"

# idle, wrong, absent
"$tool" ab live $$ >/dev/null 2>"$dir/err" && complain "a program without the library"
grep -q . "$dir/err" || complain "no reason given"
for bad in '--share 2' '--share x' '--duration 0' '--plot f.gif' '--aa both' '--delay 5' 'a b'; do
    # shellcheck disable=SC2086
    "$tool" ab live $bad >/dev/null 2>"$dir/err"
    [ $? -eq 2 ] && grep -q . "$dir/err" || complain "$bad is accepted"
done
kill -TERM "${pids[0]}" 2>/dev/null
wait "${pids[0]}" 2>/dev/null
grep -qi 'wrong\|differ\|failed' "$dir/one.out" && complain "wrong answers: $(cat "$dir/one.out")"
exit $failed
