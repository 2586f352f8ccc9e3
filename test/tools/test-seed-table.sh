#!/bin/bash
# test-seed-table.sh BUILD: seed-table prints its table and writes its JSON, and leaves nothing behind. No time and no share is judged.
set -eu
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TMPDIR=$dir
fault() { echo "$1"; cat "$dir/table" "$dir/err" 2>/dev/null; exit 1; }

PK11CACHE_ENGINE=off "$build/seed-table" --quick --json "$dir/j" >"$dir/table" 2>"$dir/err" || fault "it failed"
for what in 'CPU of the server per request' IOPS 'average latency'; do
    awk -v what="$what" 'index($0, what) == 1 { on = 1; next } /^all depths/ { exit !(on && seen == 2) } on && ($1 == 4 || $1 == 32) {
        for (i = 2; i <= 4; i++) if (!($i > 0)) exit 1; seen++ }' <(sed -n "/^$what/,/^all/p" "$dir/table") || fault "no rows for $what"
done
grep -qE '^all depths, share of the gap closed: hammer .*, infernalis ' "$dir/table" || fault "no sum"
# what the caller's environment says does not reach the arms: engine=off would serve nothing
grep -qE '^The cache served at least (9[5-9]|100)\.' "$dir/table" || fault "the cache did not act"
[ "$(awk '{ if (length($0) > w) w = length($0) } END { print w }' "$dir/table")" -le 140 ] || fault "too wide"
[ "$(grep -cE '"(none|(hammer|infernalis)-(bare|preload))": ' "$dir/j")" = 10 ] || fault "the JSON lacks arms"
"$build/seed-table" --quick --rounds 1 --rate 3000 --same-client --no-pin --json - >"$dir/table" 2>"$dir/err" || fault "at a rate it failed"
grep -q '"rate": 3000.0' "$dir/table" || fault "no rate in the JSON"
"$build/seed-table" --rounds 0 2>/dev/null && fault "no rounds"
"$build/seed-table" --lib "$dir/none.so" 2>"$dir/err" && fault "no library"
grep -q "can't be read" "$dir/err" || fault "no message"
# an end in the middle leaves no server and no folder
"$build/seed-table" --quick --rounds 50 >/dev/null 2>"$dir/err" &
pid=$!
for _ in $(seq 200); do grep -q round "$dir/err" && break; sleep 0.02; done
sleep 0.3
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] || fault "SIGTERM gave $status"
[ -z "$(find "$dir" -name 'seed-table.*')" ] || fault "a folder is left behind"
echo fine
