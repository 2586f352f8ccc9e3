#!/bin/sh
# idle.sh LIBRARY PROGRAM: with PK11CACHE_IDLE_TTL=1 what is idle is destroyed by itself, and the next use is right.
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
PK11CACHE_IDLE_TTL=1 PK11CACHE_REPORT=$report LD_PRELOAD=$1 "$2" pause || exit 1
grep -E '^(engines_idle|keys_gone|engines_made) ' "$report"
awk '$1 == "engines_idle" && $2 > 0 { a = 1 } $1 == "keys_gone" && $2 > 0 { b = 1 } END { exit !(a && b) }' "$report" ||
    { echo "nothing idle was destroyed"; exit 1; }
