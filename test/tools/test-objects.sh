#!/bin/bash
# test-objects.sh BUILD: the object server and its load: data and signatures checked, faults found, a clean end, and that the cache serves it.
# No time is judged.
set -u
build=$1 failed=0
server=$build/workloads/object-server load=$build/workloads/object-load
dir=$(mktemp -d) || exit 1
unset LD_PRELOAD
pid=
end() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT

expect() { # what, expected status, a pattern in the output, command...
    local what=$1 status=$2 pattern=$3 out got
    shift 3
    out=$("$@" 2>&1)
    got=$?
    if [ $got -ne "$status" ] || ! grep -qE -- "$pattern" <<<"$out"; then
        printf '%s: status %s (expected %s), output:\n%s\n' "$what" $got "$status" "$out"
        failed=1
    else
        echo "ok: $what"
    fi
}

# In the foreground as our child, so that its exit status is seen; `where` is its address then.
preload=()
start() { # options...
    rm -f "$dir/out" # the last server's address
    env "${preload[@]}" "$server" --report "$dir/report" "$@" >"$dir/out" 2>"$dir/err" &
    pid=$!
    for _ in $(seq 200); do
        where=$(sed -n 's/.*listening on //p' "$dir/out" 2>/dev/null)
        [ -n "$where" ] && return
        sleep 0.02
    done
    echo "the server did not start: $(cat "$dir/err")"
    failed=1
}

stop() { # what
    kill -TERM "$pid"
    wait "$pid"
    local got=$?
    pid=
    [ $got -eq 0 ] && grep -q '"cpu_us_per_request":' "$dir/report" && [ ! -e "$dir/s" ] && return
    echo "$1: the server's end had status $got: $(cat "$dir/err" "$dir/report")"
    failed=1
}

field() { # name: of the report
    sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p" "$dir/report"
}

# every kind of signing, both kinds of socket; as many requests as were asked for, and 4 x 64 to fill, 1000 to warm up, 4 x 64 to read back
for signing in none hammer infernalis; do
    for address in "$dir/s" 0; do
        start --listen "$address" --signing $signing
        expect "$signing on $where" 0 'failed: 0, wrong: 0' "$load" --connect "$where" --signing $signing --ops 1500
        stop "$signing on $where"
        [ "$(field requests)" = 3012 ] || { echo "$(field requests) requests, not 3012"; failed=1; }
    done
done

start --listen "$dir/s" --threads 3
expect "reads only" 0 '100/0 .* failed: 0, wrong: 0' sh -c "'$load' --connect '$dir/s' --mix read --ops 500 | tr '\n' ' '"
expect "writes only" 0 '0/100 .* failed: 0, wrong: 0' sh -c "'$load' --connect '$dir/s' --mix write --ops 500 | tr '\n' ' '"
expect "deep, few objects, odd size" 0 'failed: 0, wrong: 0' "$load" --connect "$dir/s" --depth 128 --connections 3 --objects 5 --bytes 5003 --ops 3000
expect "the largest object" 0 'failed: 0, wrong: 0' "$load" --connect "$dir/s" --bytes 65536 --ops 300
expect "by OpenSSL the signatures are the same" 0 'failed: 0, wrong: 0' "$load" --connect "$dir/s" --signing openssl --ops 500
expect "of the other era too" 0 'failed: 0, wrong: 0' "$load" --connect "$dir/s" --signing infernalis --ops 500
expect "a rate" 0 'meant to be sent' "$load" --connect "$dir/s" --rate 2000 --seconds 0.1
expect "a rate gives its number of requests" 0 '"ops":200,.*"intended send"' "$load" --connect "$dir/s" --rate 2000 --seconds 0.1 --json
# a stall of half a second is in the latency of all that were to be sent in it, a third of the requests, not of the few that were under way
"$load" --connect "$dir/s" --rate 1000 --seconds 1.5 --depth 4 --json >"$dir/load" &
loaded=$!
sleep 0.5
kill -STOP "$pid"
sleep 0.5
kill -CONT "$pid"
wait $loaded
p90=$(sed -n 's/.*"p90":\([0-9]*\).*/\1/p' "$dir/load")
[ "${p90:-0}" -gt 100000 ] && echo "ok: a stall counts for all" || { echo "a stall is not seen in $(cat "$dir/load")"; failed=1; }
expect "JSON" 0 '"p99_9":[0-9.]+,"max":[0-9.]+.*"failed":0,"wrong":0.*"server":\{"requests":500,' "$load" --connect "$dir/s" --ops 500 --json
expect "is it ready" 0 '' "$load" --connect "$dir/s" --ping
expect "a wrong key is refused" 1 'refuses the signature' "$load" --connect "$dir/s" --key 00112233445566778899aabbccddeeff --ops 10
expect "no signature is refused" 1 'wants signatures' "$load" --connect "$dir/s" --signing none --ops 10
expect "a request with a wrong signature is refused" 1 'refused a signature' "$load" --connect "$dir/s" --fault --ops 1000
expect "and is counted" 1 'failed: [1-9]' "$load" --connect "$dir/s" --fault --ops 1000
expect "the server goes on after it" 0 'failed: 0, wrong: 0' "$load" --connect "$dir/s" --ops 100
stop "many clients"
[ "$(field refused)" -ge 3 ] || { echo "the server counted $(field refused) refusals"; failed=1; }

start --listen 0 --fault signature
expect "a reply's wrong signature is found" 1 'wrong: [1-9]' "$load" --connect "$where" --ops 1000
stop "wrong signatures"
start --listen 0 --fault data
expect "wrong data are found, well signed" 1 'failed: 0, wrong: [1-9]' "$load" --connect "$where" --ops 1000
stop "wrong data"
start --listen 0
(exec 3<>"/dev/tcp/127.0.0.1/$where" && head -c 500 /dev/urandom >&3 && cat <&3) >/dev/null 2>&1
expect "the server lives after garbage" 0 'failed: 0' "$load" --connect "$where" --ops 100
stop "garbage"

# SIGTERM under load: the load sees its connections end and says so, the server ends well; so it does when the load is idle, or takes no reply
for what in load idle stuck; do
    start --listen "$dir/s"
    rate=()
    [ $what = idle ] && rate=(--rate 1)
    "$load" --connect "$dir/s" --seconds 30 --depth 512 --bytes 16384 --mix read "${rate[@]}" >"$dir/load" 2>&1 &
    loaded=$!
    sleep 0.5
    [ $what = stuck ] && kill -STOP $loaded && sleep 0.1
    stop "SIGTERM, $what"
    [ $what = stuck ] && kill -CONT $loaded
    wait $loaded
    [ $? -eq 1 ] && grep -qE 'closed the connection|takes no message|broke|garbled' "$dir/load" && echo "ok: SIGTERM, $what" ||
        { echo "SIGTERM, $what: the load did not see the end: $(cat "$dir/load")"; failed=1; }
done

expect "in the background it is ready when the command ends" 0 'listening' "$server" --listen "$dir/s" --daemon --pid-file "$dir/pid" --report "$dir/report" --log "$dir/log"
expect "a second server on its socket" 1 'in use' "$server" --listen "$dir/s" --daemon
expect "the first still serves" 0 'failed: 0' "$load" --connect "$dir/s" --ops 100
daemon=$(cat "$dir/pid")
kill -9 "$daemon"
while kill -0 "$daemon" 2>/dev/null; do sleep 0.02; done
expect "a dead server's socket is taken over" 0 'listening' "$server" --listen "$dir/s" --daemon --pid-file "$dir/pid" --report "$dir/report"
kill -TERM "$(cat "$dir/pid")"
for _ in $(seq 250); do [ -e "$dir/pid" ] || break; sleep 0.02; done
[ ! -e "$dir/pid" ] && [ ! -e "$dir/s" ] && echo "ok: the daemon's end" || { echo "the daemon left its files behind"; failed=1; }
echo precious >"$dir/file"
expect "a file is no dead server" 1 'in use' timeout 10 "$server" --listen "$dir/file"
grep -q precious "$dir/file" || { echo "the file is gone"; failed=1; }
expect "no server" 1 'No such file' "$load" --connect "$dir/s" --ops 10
expect "no directory for the pid file" 1 "can't be written" "$server" --listen 0 --pid-file "$dir/none/pid"
expect "a bad era" 2 'hammer or infernalis' "$server" --listen 0 --signing luminous
expect "an era of the load's only" 2 'hammer or infernalis' "$server" --listen 0 --signing openssl
expect "a bad key" 2 '32 hexadecimal' "$load" --connect 1 --key 00
expect "a bad mix" 2 'make 100' "$load" --connect 1 --mix 70/40
expect "a depth below the connections" 2 'at least' "$load" --connect 1 --depth 2 --connections 4
expect "an address" 1 'port on 127.0.0.1' "$load" --connect nowhere --ops 10

# preloaded: the same answers, from the cache
for signing in hammer infernalis; do
    : >"$dir/counts"
    preload=("LD_PRELOAD=$build/libpk11cache.so" "PK11CACHE_REPORT=$dir/counts")
    start --listen "$dir/s" --signing $signing
    expect "$signing, preloaded" 0 'failed: 0, wrong: 0' "$load" --connect "$dir/s" --signing $signing --ops 20000
    stop "$signing, preloaded"
    awk '{ n[$1] = $2 } END { exit !(n["calls"] > 40000 && n["hits"] >= 0.99 * n["calls"]) }' "$dir/counts" ||
        { echo "$signing: too few hits: $(head -8 "$dir/counts")"; failed=1; }
done
exit $failed
