#!/bin/sh
# run-pair.sh LIBRARY NEED PROGRAM ARGUMENT...: the same output and exit status plain and preloaded. NEED is what the report must
# show: "hits" (the cache was really used), "none" (no call was cached), or "any".
library=$1 need=$2
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
timeout 120 "$@" >"$dir/plain" 2>&1
plain=$?
PK11CACHE_REPORT="$dir/report" LD_PRELOAD="$library" timeout 120 "$@" >"$dir/preloaded" 2>&1
preloaded=$?
if ! cmp -s "$dir/plain" "$dir/preloaded" || [ $plain -ne $preloaded ]; then
    echo "exit status: plain $plain, preloaded $preloaded"
    diff "$dir/plain" "$dir/preloaded" | head -20
    exit 1
fi
[ -s "$dir/plain" ] || { echo "no output"; exit 1; }
sum() { awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "$dir/report" 2>/dev/null; }
calls=$(sum calls) hits=$(sum hits) misses=$(sum misses) bypasses=$(sum bypasses)
echo "same output ($(wc -l <"$dir/plain") lines); calls $calls, hits $hits, misses $misses, bypasses $bypasses"
[ "$calls" -eq $((hits + misses + bypasses)) ] || { echo "the counters don't add up"; exit 1; }
case $need in
hits) [ "$hits" -gt 0 ] || { echo "the cache was not used"; exit 1; } ;;
none) [ "$hits" -eq 0 ] || { echo "the cache was used"; exit 1; } ;;
esac
