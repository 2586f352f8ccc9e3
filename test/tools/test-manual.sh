#!/bin/sh
# test-manual.sh BUILD SOURCE: the pages have no roff errors, name every command, option and counter, and the lists are the lists.
build=$1 source=$2 failed=0
complain() { echo "$*"; failed=1; }
for page in "$build/pk11cache.7" "$source/docs/pk11cache.1"; do
    errors=$(MANWIDTH=100 man --warnings -E UTF-8 -l -P cat "$page" 2>&1 >/dev/null | grep -v 'cannot adjust\|cannot break')
    [ -z "$errors" ] || complain "$page: $errors"
done
"$build/pk11cache" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | while read -r command; do
    grep -q "$command" "$source/docs/pk11cache.1" || echo "pk11cache.1 lacks $command"
done | grep . && failed=1
names=$("$build/pk11cache" counters | awk '{ print $1 }'; "$build/pk11cache" options | sed -n 's/^\(PK11CACHE_[A-Z_]*\)=.*/\1/p')
[ "$(echo "$names" | wc -l)" -gt 90 ] || complain "the lists are short"
for name in $names; do
    grep -qx "\.B $name" "$build/pk11cache.7" || complain "pk11cache.7 lacks $name"
done
grep -q '@[A-Z]*@' "$build/pk11cache.7" && complain "a list was not filled in"
exit $failed
