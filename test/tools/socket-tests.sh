# socket-tests.sh - sourced by the tests of the commands that ask the stats socket: processes to ask, and checks. Other
# processes of this machine may have sockets too: what is started here has names of its own.
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=${PK11CACHE_LIB:-$build/libpk11cache.so}
command=$build/pk11cache
folder=$(mktemp -d)
pids=()
failed=0
unset LD_PRELOAD RUNTIME_DIRECTORY

end() {
    {
        kill -KILL "${pids[@]}"
        wait
    } 2>/dev/null
    rm -rf "$folder"
}
trap end EXIT

end_one() { # a pid
    {
        kill -KILL "$1"
        wait "$1"
    } 2>/dev/null
}

stop_one() { # a pid: until each of its threads has stopped
    kill -STOP "$1"
    for _ in $(seq 100); do
        grep -hq '^State:[[:space:]]*[^T[:space:]]' "/proc/$1/task/"*/status || return
        sleep 0.02
    done
    fail "process $1 does not stop"
}

fail() {
    echo "FAILED: $*" >&2
    failed=1
}

# name, workload, options...: start it under that name with a socket in our folder, and wait for that. Its pid is $pid.
start() {
    local name=$1 workload=$2
    shift 2
    [ -e "$folder/$name" ] || cp "$build/workloads/$workload" "$folder/$name"
    PK11CACHE_SOCKET=$folder/$name.%p.sock LD_PRELOAD=$library nice -n 5 "$folder/$name" --seconds 60 "$@" >/dev/null &
    pid=$!
    pids+=("$pid")
    wait_for "$folder/$name.$pid.sock"
}

wait_for() { # a socket
    for _ in $(seq 100); do
        [ -S "$1" ] && return
        sleep 0.05
    done
    fail "no socket $1"
}

# name, mode: a fake server. Its pid is $pid, its socket $folder/NAME.sock.
fake() {
    mkfifo "$folder/$1.ready"
    LD_PRELOAD=$library python3 "$here/fake-server.py" "$1" "$folder/$1.sock" "$2" >"$folder/$1.ready" &
    pid=$!
    pids+=("$pid")
    read -r _ <"$folder/$1.ready" || fail "the fake server $1 did not start"
}

# exit status or "any", pattern of the output (both streams), command...
expect() {
    local wanted=$1 pattern=$2 output status=0
    shift 2
    output=$("$@" 2>&1) || status=$?
    [ "$wanted" = any ] || [ "$status" -eq "$wanted" ] || fail "$* left with $status, not $wanted: ${output:0:500}"
    grep -Eq -- "$pattern" <<<"$output" || fail "$* said nothing of \"$pattern\": ${output:0:500}"
}

ends() {
    exit "$failed"
}
