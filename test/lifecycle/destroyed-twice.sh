#!/bin/sh
# destroyed-twice.sh LIBRARY PROGRAM: a second destroy, and a use after it, reach nobody and are counted.
report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
out=$(PK11CACHE_REPORT=$report LD_PRELOAD=$1 "$2" destroyed_twice) || exit 1
echo "$out"
for wanted in 'distinct: 1' 'gone: -1 -1,' 'end: NSS_Shutdown 0'; do
    echo "$out" | grep -q "^$wanted" || { echo "not seen: $wanted"; exit 1; }
done
right=$(echo "$out" | sed -n 's/^before: //p')
[ "$(echo "$out" | grep -cxF -e "first: $right" -e "second: $right")" -eq 2 ] || { echo "the next owners were reached"; exit 1; }
# two destroys, and the two calls of the message
awk '$1 == "stale_handles" { n = $2 } END { exit n != 4 }' "$report" || { grep stale_handles "$report"; exit 1; }
