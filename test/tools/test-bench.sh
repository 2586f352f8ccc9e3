#!/bin/bash
# test-bench.sh BUILD: the bench's JSON: schema, arms, cells, and that a yardstick has the same result in every sequence. No time is judged.
set -eu
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$build/pk11cache" bench --quick --rounds 1 --seconds 0.01 --json "$dir/j" >"$dir/table" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
grep -q '^hammer, encrypt' "$dir/table"
grep -q 'times as fast' "$dir/table"
[ "$(awk '{ if (length($0) > w) w = length($0) } END { print w }' "$dir/table")" -le 140 ]
"$2" "$dir/j"
"$build/pk11cache" bench --rounds 0 2>/dev/null && exit 1
"$build/pk11cache" bench --seconds x 2>/dev/null && exit 1
"$build/pk11cache" bench --quick --rounds 1 --seconds 0.002 --json "$dir/no/such" >/dev/null 2>"$dir/err" && exit 1
grep -q "can't be written" "$dir/err"
echo fine
