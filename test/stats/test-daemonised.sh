#!/bin/bash
# test-daemonised.sh BUILD: a daemonised server under load, looked at and steered by its name: the hit share that `pk11cache stat` shows is what
# its requests make, `set engine off` and back and `flush` under load lose and fail nothing.
build=$1 tool=$1/pk11cache dir=$(mktemp -d) failed=0 pid=
name=pkdaemon$$ # a name that nobody else has
cp "$build/workloads/object-server" "$dir/$name"
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
complain() { echo "FAILED: $*"; failed=1; }
count() { "$tool" stat --json "$name" | jq ".counters.$1"; }
load() { "$build/workloads/object-load" --connect "$dir/a" --json "$@"; }

LD_PRELOAD=$build/libpk11cache.so PK11CACHE_SOCKET="$dir/%p.sock" PK11CACHE_VERIFY=50 "$dir/$name" --daemon --log "$dir/log" --pid-file "$dir/pid" --listen "$dir/a" --report "$dir/report" || exit 1
pid=$(cat "$dir/pid")
load --ops 20000 >"$dir/j" || complain "the load: $(cat "$dir/j")"
# two messages a request (those that fill the server first too) and an authentication's few: each three look-ups, nearly all hits
requests=$(jq '.all_phases.reads + .all_phases.writes' "$dir/j")
calls=$(count calls) hits=$(count hits) misses=$(count misses) bypasses=$(count bypasses) creates=$(count handles_made)
ops=$(count operations_aes_cbc_pad_encrypt)
[ "$calls" -eq $((hits + misses + bypasses)) ] || complain "the counters don't add up"
[ "$requests" -ge 20000 ] || complain "$requests requests"
[ "$creates" -ge $((2 * requests)) ] && [ "$creates" -le $((2 * requests + 100)) ] || complain "$requests requests, but $creates contexts"
[ "$ops" -eq "$creates" ] || complain "$ops operations, $creates contexts"
[ "$calls" -eq $((3 * creates)) ] || complain "$calls look-ups, $creates contexts"
[ $((hits * 1000)) -ge $((calls * 998)) ] || complain "$hits hits of $calls"
echo "calls $calls, hits $hits, contexts $creates of $requests requests"

# under load
load --seconds 4 >"$dir/j" &
loader=$!
sleep 0.5
"$tool" set "$name" engine off >"$dir/set" || complain "set engine off"
sleep 0.3
before=$(count hits) off_before=$(count bypass_off)
sleep 0.3
after=$(count hits) off_after=$(count bypass_off)
[ "$after" -eq "$before" ] && [ "$off_after" -gt "$off_before" ] || complain "engine off: hits $before to $after, bypasses $off_before to $off_after"
"$tool" set "$name" engine stream >/dev/null || complain "set engine stream"
sleep 0.3
before=$(count hits)
sleep 0.2
after=$(count hits)
[ "$after" -gt "$before" ] || complain "engine on again: hits $before to $after"
for _ in $(seq 50); do "$tool" flush "$name" >/dev/null || complain "flush"; done
"$tool" reset "$name" >/dev/null || complain "reset"
wait $loader || complain "an operation failed: $(cat "$dir/j")"
[ "$(jq '.failed + .wrong' "$dir/j")" = 0 ] || complain "failed or wrong: $(cat "$dir/j")"
[ "$(count verify_mismatches)" = 0 ] || complain "mismatches"

"$tool" top --help >/dev/null && "$tool" sites "$name" >/dev/null && "$tool" keys "$name" | grep -q imported || complain "sites or keys"
"$tool" check "$pid" >"$dir/check" || complain "check says: $(cat "$dir/check")"
kill -TERM "$pid"
for _ in $(seq 100); do [ -d "/proc/$pid" ] || break; sleep 0.05; done
[ -d "/proc/$pid" ] && complain "it did not end"
[ -z "$(ls "$dir"/*.sock 2>/dev/null)" ] || complain "its socket is left"
[ -s "$dir/log" ] && complain "it said: $(cat "$dir/log")"
pid=
exit $failed
