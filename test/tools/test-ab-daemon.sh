#!/bin/bash
# test-ab-daemon.sh BUILD: `pk11cache ab daemon`, with a stand-in of a few shell lines: order, ready, load, depths, stop, and every way to fail.
set -u
# shellcheck source=ab-common.sh disable=SC2154
. "$(dirname "$0")/ab-common.sh"

# A daemon that takes a moment to start, and one to stop; it serves "requests" twice as fast with the preload.
cat >"$dir/daemon" <<S
echo \$\$ >>"$dir/daemons"
case \${LD_PRELOAD:-} in *libpk11cache*) echo with; speed=2000 ;; *) echo without; speed=1000 ;; esac >>"$dir/order"
case \${LD_PRELOAD:-} in *libpk11cache*) speed=2000 ;; *) speed=1000 ;; esac
"$hammer" --ops 20 >/dev/null
trap 'rm -f "$dir/speed"; sleep 0.05; echo clean >>"$dir/clean"; exit 0' TERM
echo \$speed >"$dir/speed"
while :; do sleep 0.02; done
S
cat >"$dir/load" <<S
echo "\${LD_PRELOAD:-none}" >>"$dir/loads"
speed=\$(cat "$dir/speed")
echo "depth \$1: IOPS=\$((speed * \$1)) latency=\$((8000 / speed)) ms"
S
daemon="sh $dir/daemon" ready="test -s $dir/speed" load="sh $dir/load %d"
metrics=(--metric 'iops=IOPS=([0-9]+)' --metric 'latency_ms=latency=([0-9]+)')

expect "twice as fast" 0 'iops is 100 % more, over all depths .*better' "${ab[@]}" daemon --pairs 2 --warmup 1 --daemon "$daemon" --ready "$ready" --load "$load" --depths 4,16 "${metrics[@]}" --json "$dir/json" --plot "$dir/p.svg"
has "depth 4" '^ +4 +4000 +8000 +\+100\.0 .* 8\.000 +4\.000 +\+50\.0'
has "depth 16" '^ +16 +16000 +32000 +\+100\.0'
has_not "the cache acts" 'not seen to act'
[ "$(wc -l <"$dir/clean")" -eq 6 ] || wrong "six lives, $(wc -l <"$dir/clean") clean ends"
case $(sed 1,2d "$dir/order" | tr '\n' ' ') in
"with without without with " | "without with with without ") ;;
*) wrong "neither ABBA nor BAAB: $(cat "$dir/order")" ;;
esac
grep -qvx none "$dir/loads" && wrong "the load is preloaded too"
[ "$(wc -l <"$dir/loads")" -eq 12 ] || wrong "twelve loads, not $(wc -l <"$dir/loads")"
[ "$(grep -c '"ready_s"' "$dir/json")" -eq 6 ] && [ "$(grep -c '"iops": 32000' "$dir/json")" -eq 3 ] || wrong "the raw values in the JSON"
grep -q 'depth' "$dir/p.svg" && grep -q 'latency_ms' "$dir/p.svg" || wrong "the plot's axes"
gone "no daemon is left" "$dir/daemons"

few=(--pairs 2 --warmup 0 --ready "$ready" --load "$load" --metric 'iops=IOPS=([0-9]+)')
expect "without depths" 0 'iops is 100 % more \(' "${ab[@]}" daemon --pairs 2 --warmup 0 --daemon "$daemon" --ready "$ready" --load "sh $dir/load 1" --metric 'iops=IOPS=([0-9]+)'
expect "never ready" 1 'not ready within 0.3 s; its last lines:' "${ab[@]}" daemon "${few[@]}" --depths 1 --timeout 0.3 --daemon "echo \$\$ >>$dir/never; echo starting; exec sleep 300"
gone "never ready: it is ended" "$dir/never"
expect "a ready command that hangs" 1 'not ready within 0.3 s' "${ab[@]}" daemon "${few[@]}" --depths 1 --timeout 0.3 --daemon "exec sleep 300" --ready "echo \$\$ >>$dir/probes; exec sleep 300"
gone "a ready command that hangs is ended" "$dir/probes"
expect "dies before it is ready" 1 'ended before it was ready: exit status 5; its last lines' "${ab[@]}" daemon "${few[@]}" --depths 1 --daemon 'echo no config; exit 5'
expect "goes into the background" 1 'keep it in the foreground' "${ab[@]}" daemon "${few[@]}" --depths 1 --daemon "setsid sleep 300 & echo \$! >>$dir/background; exit 0"
gone "goes into the background: it is ended" "$dir/background"
expect "dies under the load" 1 'ended under the load: killed by signal 9' "${ab[@]}" daemon "${few[@]}" --daemon "exec $daemon" --load "kill -9 \$(tail -1 $dir/daemons); exec sleep 300"
expect "a load that fails" 1 'exit status 4; its last lines' "${ab[@]}" daemon "${few[@]}" --daemon "$daemon" --load 'echo refused; exit 4'
expect "a load without the metric" 1 'no iops in its output' "${ab[@]}" daemon "${few[@]}" --daemon "$daemon" --load 'echo fast'
cat >"$dir/deaf" <<S
trap '' TERM
echo \$\$ >>"$dir/deafs"
sh -c 'echo \$\$ >>"$dir/deafs"; while :; do sleep 0.1; done' &
echo 1000 >"$dir/speed"
while :; do sleep 0.02; done
S
expect "a daemon that does not end" 0 'Warning, daemon killed: the daemon did not end after SIGTERM and was killed, 4 of 4 times' "${ab[@]}" daemon "${few[@]}" --load "sh $dir/load 1" --grace 0.2 --daemon "sh $dir/deaf"
gone "a daemon that does not end is killed with its children" "$dir/deafs"
rm -f "$dir/speed"
# a worker whose parent has gone is the daemon's, not the load's
expect "an orphaned worker lives through the load" 0 'No difference' "${ab[@]}" daemon "${few[@]}" --daemon "sh -c 'setsid sleep 300 & echo \$! >$dir/worker; echo \$! >>$dir/workers'; echo 7 >$dir/speed.new; mv $dir/speed.new $dir/speed; exec sleep 300" --load "sh $dir/load 1; test -e /proc/\$(cat $dir/worker)"
gone "an orphaned worker is ended with the daemon" "$dir/workers"

: >"$dir/daemons"
env --default-signal=INT "${ab[@]}" daemon --pairs 50 --daemon "$daemon" --ready "$ready" --load "echo \$\$ >>$dir/sleepers; exec sleep 300" >"$dir/out" 2>&1 &
pid=$!
wait_for "$dir/sleepers"
kill -INT $pid
wait $pid && wrong "Ctrl-C in the first load: exit status 0"
out=$(cat "$dir/out")
has "Ctrl-C" '^It was ended early'
gone "Ctrl-C stops the load" "$dir/sleepers"
gone "Ctrl-C stops the daemon" "$dir/daemons"
[ ! -e "$dir/speed" ] || wrong "Ctrl-C: the daemon was not stopped cleanly"

expect "a command is missing" 2 'all needed' "${ab[@]}" daemon --daemon true --load true
expect "depths without a place" 2 'no %d' "${ab[@]}" daemon --daemon true --ready true --load true --depths 4
expect "depths that are none" 2 'numbers from 1' "${ab[@]}" daemon --daemon true --ready true --load 'x %d' --depths 4,,5
expect "a grace that is none" 2 'takes seconds' "${ab[@]}" daemon --daemon true --ready true --load true --grace never
finish
