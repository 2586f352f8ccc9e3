#!/bin/bash
# test-run.sh BUILD: `pk11cache run`: exit statuses, signals, messages, LD_PRELOAD entries, and that it leaves nothing behind.
# Row "AppRun#21, snoopy#237". Tried: library_try accepts every library: "a library with a missing dependency" ends with 127, and the command
# was started; leave_children_alone not called: a wrapper's child has the cache ("a wrapper").
set -u
build=$1 failed=0
command=$build/pk11cache hammer=$build/workloads/hammer
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
unset LD_PRELOAD PK11CACHE_LIB

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

expect "a program that uses NSS" 0 'served from the cache' "$command" run -- "$hammer" --ops 100
expect "the next command is named" 0 'pk11cache bench' "$command" run -- "$hammer" --ops 100
expect "the program's output passes" 0 '100 operations' "$command" run -- "$hammer" --ops 100
expect "verbose" 0 'PK11CACHE_ENGINE=stream \(default\)' env PK11CACHE_VERBOSE=1 "$command" run -- "$hammer" --ops 100
expect "quiet" 0 '^hammer encrypt' "$command" run --quiet -- "$hammer" --ops 100
[ "$("$command" run --quiet -- "$hammer" --ops 10 2>&1 | wc -l)" -eq 1 ] || { echo "--quiet is not quiet"; failed=1; }
expect "the exit status passes" 7 '' "$command" run -- sh -c 'exit 7'
expect "no NSS in it" 3 'no NSS calls' "$command" run -- /bin/true
expect "a wrapper" 3 'add --children' "$command" run -- sh -c "'$hammer' --ops 10; true"
expect "a command that isn't there" 127 'No such file' "$command" run -- "$dir/nothing"
expect "a command that can't be run" 126 'Permission denied' "$command" run -- /etc/passwd
expect "death by a signal" 143 '' bash -c "'$command' run -- sh -c 'kill -TERM \$\$'; exit \$?"
expect "no command" 2 'which command' "$command" run
expect "a bad engine" 2 'stream, reset or off' "$command" run --engine fast -- true
expect "a bad setting" 2 'PK11CACHE_NAME=VALUE' "$command" run --set FOO=1 -- true
expect "engine off" 0 '0\.00 % served' "$command" run --engine off -- "$hammer" --ops 100
expect "a library that isn't there" 3 "can't be read" "$command" run --lib "$dir/none.so" -- true

echo 'not a library' >"$dir/libpk11cache.so"
expect "a file that is no library" 3 'would not start|invalid|no message' "$command" run --lib "$dir/libpk11cache.so" -- touch "$dir/started"
printf 'extern int missing_function(void); int f(void) { return missing_function(); }' >"$dir/dep.c"
cc -shared -fPIC -o "$dir/libdep.so" -x c - <<<'int missing_function(void) { return 1; }' &&
    cc -shared -fPIC -o "$dir/broken.so" "$dir/dep.c" -L"$dir" -ldep && rm "$dir/libdep.so"
expect "a library with a missing dependency" 3 'would not start' "$command" run --lib "$dir/broken.so" -- touch "$dir/started"
[ ! -e "$dir/started" ] || { echo "the command was started all the same"; failed=1; }

cc -shared -fPIC -o "$dir/other.so" -x c - <<<'#include <unistd.h>
__attribute__((constructor)) static void here(void) { if (write(2, "other is here\n", 14)) {} }'
expect "other LD_PRELOAD entries stay" 0 'other is here' env LD_PRELOAD="$dir/other.so" "$command" run -- "$hammer" --ops 10
expect "children don't get the cache" 3 'preload=$' "$command" run -- bash -c "'$hammer' --ops 1 >&2; echo preload=\$LD_PRELOAD"
out=$("$command" run --children --report "$dir/report" -- sh -c "'$hammer' --ops 50; true" 2>&1)
grep -q '^program hammer' "$dir/report" || { echo "--children: the child has no report: $out"; failed=1; }

# a signal reaches the program, and its handler's status comes back
cat >"$dir/trap.sh" <<'S'
trap 'exit 42' USR1
echo ready
while :; do sleep 0.05; done
S
"$command" run -- bash "$dir/trap.sh" >"$dir/out" 2>/dev/null &
pid=$!
for _ in $(seq 100); do grep -q ready "$dir/out" && break; sleep 0.05; done
kill -USR1 $pid
wait $pid
[ $? -eq 42 ] && echo "ok: signals pass" || { echo "the signal did not pass"; failed=1; }
leftover=$(find /tmp -maxdepth 1 -name 'pk11cache.*' -newer "$dir/dep.c" 2>/dev/null)
[ -z "$leftover" ] || { echo "left behind: $leftover"; failed=1; }

expect "an unknown command" 2 'no command "fly"' "$command" fly
expect "help" 0 'Usage: pk11cache' "$command" --help
expect "version" 0 '^pk11cache [0-9]+\.' "$command" --version
expect "options" 0 'PK11CACHE_IDLE_TTL=60' "$command" options
exit $failed
