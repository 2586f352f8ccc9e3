#!/bin/sh
# test-hitpath.sh LIBRARY PROGRAM: in the steady part no allocation, no system call, no lock that is contended (a futex call), and nothing but
# hits. The same looks at bare NSS must see something, or they are blind.
library=$1 program=$2 failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ops=20000

between() { # system calls between the two markers of each thread
    awk '{ thread = $1; call = $2; sub(/\(.*/, "", call) }
         $2 == "<..." { next } # the end of a call that was shown when it began
         call == "getppid" { inside[thread]++; next }
         inside[thread] == 1 { n++; print > "/dev/stderr" }
         END { print n + 0 }' "$1" 2>"$1.calls"
}

for sequence in hammer infernalis hammer-decrypt infernalis-decrypt; do
    for threads in 1 2; do
        LD_PRELOAD=$library PK11CACHE_REPORT=$dir/report "$program" $sequence $threads $ops >"$dir/out" || failed=1
        strace -f -qq -o "$dir/trace" -E LD_PRELOAD="$library" "$program" $sequence $threads $ops >/dev/null || failed=1
        allocations=$(awk '{ print $2 }' "$dir/out")
        calls=$(between "$dir/trace")
        slow=$(awk '$1 == "misses" || $1 == "bypasses" { n += $2 } END { print n + 0 }' "$dir/report")
        busy=$(awk '$1 == "bypass_busy" { print $2 }' "$dir/report")
        markers=$(grep -c "getppid(" "$dir/trace")
        echo "$sequence, $threads threads: $allocations allocations, $calls system calls, $slow calls not hits ($busy busy)"
        [ "$allocations" -eq 0 ] && [ "$calls" -eq 0 ] && [ "$slow" -le $((8 * threads + 8)) ] && [ "$busy" -eq 0 ] &&
            [ "$markers" -eq $((2 * threads)) ] || { failed=1; head -3 "$dir/trace.calls"; }
        rm -f "$dir/report"
    done
done
bare=$("$program" infernalis 1 $ops | awk '{ print $2 }')
[ "$bare" -ge $ops ] || { echo "bare NSS with $bare allocations: the count is blind"; failed=1; }
strace -f -qq -o "$dir/trace" -E LD_PRELOAD="$library" "$program" infernalis-system-call 2 100 >/dev/null || failed=1
[ "$(between "$dir/trace")" -eq 2 ] || { echo "system calls made on purpose are not seen: that count is blind"; failed=1; }
exit $failed
