#!/bin/bash
# test-stat.sh BUILD: stat, keys, sites, set, flush and reset against live workloads, and what each error advises.
set -u
. "$(dirname "$0")/socket-tests.sh"
name=p11a$$ two=p11b$$ odd=p11c$$

value() { # of a counter or gauge, now
    "$command" stat "$name" --json | jq ".counters.$1 // .gauges.$1"
}

start "$name" hammer --keys 3
one=$pid socket=$folder/$name.$pid.sock

# By name, number and path: the same process.
for target in "$name" "$one" "$socket"; do
    expect 0 "^\\{\"schema\":1.*\"pid\":$one,\"program\":\"$name\"" "$command" stat "$target" --json
done
"$command" stat "$name" --json | jq -e '.counters | .calls > 0 and .calls == .hits + .misses + .bypasses' >/dev/null ||
    fail "the JSON's calls are not its hits, misses and bypasses"
expect 0 "^$name, process $one, up .*engine stream, mode up" "$command" stat "$name"
expect 0 '^create_hits +[1-9]' "$command" stat "$name"
expect 0 '^[0-9]+ calls \([0-9.]+[kM]?/s since the start\), (99|100)\.[0-9]+ % hits' "$command" stat "$name"
"$command" stat "$name" | grep -q '^bypass_memory' && fail "stat shows what is 0"
expect 0 '^bypass_memory +0 ' "$command" stat --all "$name"
expect 0 "pk11cache_lookups_total\\{pid=\"$one\",program=\"$name\",call=\"create\",result=\"hit\"\\} [1-9]" \
    "$command" stat "$name" --prometheus

# Rates: those of the time between two looks, with its own latencies.
timeout 1.6 "$command" stat "$name" --watch 0.25 >"$folder/watch"
[ "$(grep -c "^ *$one $name " "$folder/watch")" -ge 4 ] || fail "--watch: $(cat "$folder/watch")"
awk 'NR > 2 && !($3 ~ /[kM]$/ && $4 > 99 && $5 > 0 && $7 > 0 && $8 >= $6)' "$folder/watch" | grep . &&
    fail "--watch shows a rate, share or latency that can't be"
timeout 1.2 "$command" stat "$name" --json --watch 0.2 | jq -s -e 'length >= 3 and .[2].counters.calls > .[0].counters.calls' \
    >/dev/null || fail "--json --watch"

# A line each without a name, and a list where one is wanted.
start "$two" infernalis
other=$pid
expect any "^ *$one $name " "$command" stat # others of this machine may fail to answer
expect any "^ *$other $two " "$command" stat
expect any "\"pid\":$other," "$command" stat --json
start "$name" hammer
expect 1 "there are 2 such processes" "$command" stat "$name"
expect 1 "^ *$pid $name +$folder/$name.$pid.sock" "$command" set "$name" engine off
end_one "$pid"
end_one "$other"

# keys, set, flush, reset
[ "$("$command" keys "$name" | grep -Ec '^[0-9a-f]{16} imported +16 ')" -eq 3 ] || fail "keys: $("$command" keys "$name")"
expect 0 '^ok: engine was stream, is off' "$command" set "$name" engine off
[ "$("$command" stat "$name" --json | jq -r .engine)" = off ] || fail "the engine is not off"
before=$(value bypass_off)
sleep 0.1
[ "$(value bypass_off)" -gt "$before" ] || fail "nothing was passed by with the engine off"
expect 0 '^ok: engine was off, is stream' "$command" set "$one" engine stream
expect 1 "^pk11cache: there is no such option.*set can change .*socket $socket" "$command" set "$name" nonsense 1
expect 2 'one word each' "$command" set "$name" engine 'off;flush'
expect 2 'an option and its value' "$command" set engine
before=$(value flushes)
expect 0 '^ok: ' "$command" flush "$socket"
[ "$(value flushes)" -eq $((before + 1)) ] || fail "flush was not counted"
before=$(value calls)
expect 0 '^ok: ' "$command" reset "$name"
[ "$(value calls)" -lt "$before" ] || fail "reset did not reset"
expect 0 'since the reset' "$command" stat "$name"
expect 0 '^(#1 .*stacks|no call stack)' "$command" sites "$name"

# What the library does not do: a fake server does.
fake "$odd" fine
expect 0 'CryptoKey::encrypt\(CephContext\*, ceph::buffer::list const&' "$command" sites "$odd"
expect 0 'ceph::mix\(int\)\.isra\.0$' "$command" sites "$odd"
expect 0 '^  x\+0x1 _Zwrong$' "$command" sites "$odd"
expect 0 "^fake\\?\\[2J, process $pid, up 1m40" "$command" stat "$odd"
expect 0 '^calls 1000' "$command" stat "$odd"
for case in "empty closed without an answer" "cut was cut off" "error the answer is 42; ask again" \
    "nojson is no JSON" "schema speaks schema 2, this command 1"; do
    mode=${case%% *}
    fake "$odd$mode" "$mode"
    expect 1 "${case#* }.*" "$command" stat "$folder/$odd$mode.sock" --json
    "$command" stat "$folder/$odd$mode.sock" 2>&1 | grep -q "$folder/$odd$mode.sock" || fail "$mode: the socket is not named"
done

# Each remedy.
sleep 60 &
bare=$!
LD_PRELOAD=$library sleep 60 &
quiet=$!
pids+=("$bare" "$quiet")
sleep 0.1
fake "${odd}v" vanish
wait "$pid" 2>/dev/null
expect 1 'there is no process 999999999' "$command" stat 999999999
expect 1 'there is no process, and no socket, called "no-such"' "$command" flush no-such
expect 1 "process $bare \\(sleep\\) runs without the library; start it by .pk11cache run" "$command" stat "$bare"
expect 1 "process $quiet \\(sleep\\) has the library, but no socket yet: the first call" "$command" keys "$quiet"
expect 1 "the socket $folder/${odd}v.sock is stale: .*remove it" "$command" stat "$folder/${odd}v.sock"
expect 1 "there is no socket $folder/none; .pk11cache stat. lists" "$command" stat "$folder/none"
expect 1 "$folder/watch is no socket" "$command" stat "$folder/watch"
expect 2 'takes seconds from' "$command" stat --watch 0
expect 2 'one argument too many' "$command" keys a b
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$folder"
    cp "$command" "$folder/pk11cache"
    nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups "$folder/pk11cache")
    expect 1 "no permission to look at process $one \\($name\\) of user root; run this as root, or as that user" \
        "${nobody[@]}" stat "$name"
    expect 1 "no permission for the socket $socket of user root; run this as root" "${nobody[@]}" stat "$socket"
fi
stop_one "$one"
expect 1 "no answer on the socket $socket: process $one is stopped; kill -CONT $one" "$command" stat "$name"
kill -CONT "$one"
expect 0 "process $one" "$command" stat "$name"
rm "$socket"
expect 1 "the socket $socket is gone" "$command" stat "$name"

# In a container: the path leads to the socket only below the process's own root, and its own number is another one.
if unshare --mount --pid --fork true 2>/dev/null; then
    mkdir "$folder/hidden" "$folder/own"
    cp "$build/workloads/hammer" "$folder/${name}n"
    touch "$folder/hidden/11.sock" # what is there for us is no socket
    unshare --mount --pid --fork sh -c "mount --bind '$folder/own' '$folder/hidden' && PK11CACHE_SOCKET='$folder/hidden/11.sock' \
        LD_PRELOAD='$library' exec '$folder/${name}n' --seconds 60" >/dev/null &
    pids+=("$!")
    wait_for "$folder/own/11.sock"
    expect 0 "^${name}n, process [0-9]+, .*" "$command" stat "${name}n"
    inside=$("$command" stat "${name}n" --json | jq .pid)
    outside=$("$command" stat "${name}n" | sed -n 's/.*, process \([0-9]*\),.*/\1/p')
    [ "$inside" -eq 1 ] && [ "$(cat "/proc/$outside/comm")" = "${name}n" ] || fail "numbers $inside and $outside"
    pids+=("$outside")
    expect 0 "^pk11cache_info\{pid=\"$outside\"," "$command" metrics "${name}n"
else
    echo "without unshare: the test in another mount namespace is left out"
fi
ends
