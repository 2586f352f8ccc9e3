#!/bin/sh
# run-pair.sh LIBRARY NEED PROGRAM ARGUMENT...: the same output and exit status plain and preloaded. NEED is what the report must
# show: "any", "none" (no call was cached), "running" (threads ran on at exit: the counters need not add up), or a list such as
# hits,keys_made=1: counters that must be above 0, or have a value.
library=$1 need=$2 failed=0
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
timeout 120 "$@" >"$dir/plain" 2>&1
plain=$?
PK11CACHE_SOCKET="$dir/%p" PK11CACHE_REPORT="$dir/report" LD_PRELOAD="$library" timeout 120 "$@" >"$dir/preloaded" 2>&1
preloaded=$?
if ! cmp -s "$dir/plain" "$dir/preloaded" || [ $plain -ne $preloaded ]; then
    echo "exit status: plain $plain, preloaded $preloaded"
    diff "$dir/plain" "$dir/preloaded" | head -20
    exit 1
fi
[ -s "$dir/plain" ] || { echo "no output"; exit 1; }
[ $plain -ne 124 ] || { echo "both ran into the time limit"; exit 1; }
sum() { awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "$dir/report" 2>/dev/null; }
calls=$(sum calls) hits=$(sum hits) misses=$(sum misses) bypasses=$(sum bypasses)
echo "same output ($(wc -l <"$dir/plain") lines); calls $calls, hits $hits, misses $misses, bypasses $bypasses"
[ "$need" = running ] && exit 0
[ "$calls" -eq $((hits + misses + bypasses)) ] || { echo "the counters don't add up"; exit 1; }
[ "$need" = any ] && exit 0
[ -s "$dir/report" ] || { echo "no report"; exit 1; }
[ "$need" = none ] && need=hits=0
for one in $(echo "$need" | tr , ' '); do
    value=$(sum "${one%%=*}")
    case $one in
    *=*) [ "$value" -eq "${one#*=}" ] || { echo "${one%%=*} is $value, not ${one#*=}"; failed=1; } ;;
    *) [ "$value" -gt 0 ] || { echo "$one is 0"; failed=1; } ;;
    esac
done
exit $failed
