#!/bin/bash
# test-ab-run.sh BUILD: `pk11cache ab run`: order and arms, metrics, verdicts, warnings, failures, Ctrl-C, JSON and plot.
set -u
# shellcheck source=ab-common.sh disable=SC2154
. "$(dirname "$0")/ab-common.sh"

# Ten times less with the preload, by the program's own word; it writes down what it was started with.
cat >"$dir/told" <<'S'
case ${LD_PRELOAD:-} in *libpk11cache*) arm=with x=1 ;; *) arm=without x=10 ;; esac
echo $arm >>"$1"
echo "result: time=$x.5 ms"
S
expect "a difference is found" 0 'time is 85\.7 % less .*better' "${ab[@]}" run --pairs 4 --seed 7 --json "$dir/json" --metric 'time=time=([0-9.]+)' -- sh "$dir/told" "$dir/order"
has "few pairs" 'Warning, too few pairs: only 4 pairs'
has "short runs" 'Warning, too short'
has "no cache in a shell" 'Warning, cache not seen to act: in 5 of 5'
[ "$(head -2 "$dir/order" | tr '\n' ' ')" = "without with " ] || wrong "the warm-up"
for block in 3,6 7,10; do
    case $(sed -n "${block}p" "$dir/order" | tr '\n' ' ') in
    "with without without with " | "without with with without ") ;;
    *) wrong "neither ABBA nor BAAB: $(sed -n "${block}p" "$dir/order")" ;;
    esac
done
[ "$(grep -c '"arm": "with"' "$dir/json")" -eq 5 ] && [ "$(grep -c '"time": 1\.5' "$dir/json")" -eq 5 ] || wrong "the raw values in the JSON"
grep -q '"seed": 7' "$dir/json" && grep -q '"difference_shown": true' "$dir/json" || wrong "seed or verdict in the JSON"
"${ab[@]}" run --pairs 4 --seed 7 -- sh "$dir/told" "$dir/again" >/dev/null 2>&1
cmp -s "$dir/order" "$dir/again" || wrong "the same seed gives another order"
for seed in 1 2 3 4 5 6; do
    : >"$dir/again"
    "${ab[@]}" run --pairs 1 --warmup 0 --seed $seed -- sh "$dir/told" "$dir/again" >/dev/null 2>&1
    head -1 "$dir/again"
done | sort -u | wc -l | grep -qx 2 || wrong "one arm is always first"

expect "no difference shown" 0 'No difference shown: with the preload, x is 1 times' "${ab[@]}" run --pairs 3 --metric 'x=x=(.*)' -- echo x=5
expect "the cache acts" 0 '^wall' "${ab[@]}" run --pairs 2 -- "$hammer" --ops 50
has_not "the cache acts" 'not seen to act'
expect "one pair is no verdict" 1 'No verdict' "${ab[@]}" run --pairs 1 -- true
expect "set" 0 . "${ab[@]}" run --pairs 2 --warmup 0 --set PK11CACHE_ENGINE=off -- sh -c "env >>$dir/env"
[ "$(grep -c '^PK11CACHE_ENGINE=off' "$dir/env")" -eq 2 ] && [ "$(grep -c '^PK11CACHE_REPORT=' "$dir/env")" -eq 2 ] || wrong "settings are for the preloaded arm"
cc -shared -fPIC -o "$dir/other.so" -x c - <<<'int nothing_in_particular;'
LD_PRELOAD=$dir/other.so:$build/libpk11cache.so "${ab[@]}" run --pairs 2 --warmup 0 -- sh -c "echo \$LD_PRELOAD >>$dir/preloads" >/dev/null 2>&1
[ "$(grep -cx "$dir/other.so" "$dir/preloads")" -eq 2 ] && [ "$(grep -c "libpk11cache.so:$dir/other.so" "$dir/preloads")" -eq 2 ] || wrong "other LD_PRELOAD entries: $(cat "$dir/preloads")"

expect "a command that fails" 1 'Warning, command failed: 2 of 2 runs failed, the last: exit status 3; its last lines' "${ab[@]}" run -- sh -c 'echo one; echo two >&2; exit 3'
has "its last lines" '^two$'
expect "a metric that is not printed" 1 'no speed in its output' "${ab[@]}" run --metric 'speed=speed=([0-9]+)' -- echo slow
expect "a metric that is no number" 1 'no speed in its output' "${ab[@]}" run --metric 'speed=speed=(.*)' -- echo speed=high
expect "a command that isn't there" 1 'exit status 127' "${ab[@]}" run -- "$dir/nothing"
expect "death by a signal" 1 'killed by signal 9' "${ab[@]}" run -- sh -c 'kill -9 $$'
# shellcheck disable=SC2016
expect "one failure of many" 0 'command failed: 1 of 8 runs' "${ab[@]}" run --pairs 4 --warmup 0 -- sh -c 'echo >>'"$dir"'/n; [ $(wc -l <'"$dir"'/n) -ne 4 ]'
has "the pair of a failure does not count" '^3 pairs'

# the sixteen numbers of fio and rados bench come from test-metric.c; here: that the options reach them
printf 'Total time run:         2.0\nTotal writes made:      900\nAverage Latency(s):     0.03\nMax latency(s):         0.2\n' >"$dir/rados"
expect "rados bench" 0 '^iops +450\.0 +450\.0' "${ab[@]}" run --pairs 2 --rados-bench -- cat "$dir/rados"
has "rados bench's latency" '^latency_max \(ms\) +200'
expect "fio" 1 'no iops in its output' "${ab[@]}" run --pairs 2 --fio -- cat "$dir/rados"

expect "what it leaves behind is ended" 0 . "${ab[@]}" run --pairs 2 --warmup 0 -- sh -c "setsid sleep 300 & echo \$! >>$dir/left; sleep 300 & echo \$! >>$dir/left"
gone "what it leaves behind is ended" "$dir/left"
env --default-signal=INT "${ab[@]}" run --pairs 500 -- sh -c "echo \$\$ >>$dir/pids; exec sleep 0.1" >"$dir/out" 2>&1 &
pid=$!
for _ in $(seq 100); do [ "$(cat "$dir/pids" 2>/dev/null | wc -l)" -ge 8 ] && break; sleep 0.1; done
kill -INT $pid
wait $pid || wrong "Ctrl-C: exit status $?"
out=$(cat "$dir/out")
has "Ctrl-C shows what there is" '^It was ended early'
has "Ctrl-C shows what there is" '^[23] pairs'
gone "Ctrl-C leaves no child" "$dir/pids"
env --default-signal=TERM "${ab[@]}" run -- sh -c "echo \$\$ >>$dir/long; exec sleep 300" >"$dir/out" 2>&1 &
pid=$!
wait_for "$dir/long"
kill -TERM $pid
wait $pid && wrong "SIGTERM in the first run: exit status 0"
gone "SIGTERM leaves no child" "$dir/long"
"${ab[@]}" run -- sh -c "echo \$\$ >>$dir/orphan; exec sleep 300" >"$dir/out" 2>&1 &
pid=$!
wait_for "$dir/orphan"
kill -KILL $pid
wait $pid 2>/dev/null
sleep 0.2
gone "SIGKILL leaves no child" "$dir/orphan"
rm -rf "$TMPDIR"/pk11cache.* # of the killed one

expect "plot" 0 . "${ab[@]}" run --pairs 2 --plot "$dir/p.svg" -- true
grep -q 'wall (s)' "$dir/p.svg" && grep -q 'with the preload' "$dir/p.svg" && grep -q '>without<' "$dir/p.svg" || wrong "the plot lacks an axis or an arm"
expect "plot, png" 0 . "${ab[@]}" run --pairs 2 --plot "$dir/it's.png" -- true
[ "$(head -c 4 "$dir/it's.png" | tail -c 3)" = PNG ] || wrong "no PNG"
expect "no gnuplot" 1 'gnuplot, which is not installed' env PATH="$dir" "${ab[@]}" run --plot "$dir/q.svg" -- /bin/true
expect "a plot of another kind" 2 'must end in .svg or .png' "${ab[@]}" run --plot x.pdf -- true
expect "JSON that can't be written" 1 "can't be written" "${ab[@]}" run --json "$dir/no/such" -- true
"${ab[@]}" run --pairs 2 --json - -- true 2>/dev/null | head -1 | grep -qx '{' || wrong "--json - is not JSON alone"

expect "no command" 2 'which command' "${ab[@]}" run
expect "a regex that is none" 2 '--metric x=\(' "${ab[@]}" run --metric 'x=(' -- true
expect "a regex without a group" 2 'no group' "${ab[@]}" run --metric 'x=y' -- true
expect "two of a name" 2 'of that name already' "${ab[@]}" run --metric 'x=(y)' --metric 'x=(z)' -- true
expect "pairs" 2 'number from 1 to 1000' "${ab[@]}" run --pairs 0 -- true
expect "a bad setting" 2 'PK11CACHE_ENGINE is' "${ab[@]}" run --set PK11CACHE_ENGINE=fast -- true
expect "a verb that isn't there" 2 'no verb "fly"' "${ab[@]}" fly
expect "help" 0 'daemon' "${ab[@]}" --help
finish
