#!/bin/bash
# test-metrics.sh BUILD: all processes' metrics as one valid text, to stdout and for the textfile collector.
# Row "Prometheus". Tried: show_metrics.c without "_total": promtool names every counter.
set -u
. "$(dirname "$0")/socket-tests.sh"
name=p11m$$

# Two of the library's, and two that say they are number 7, as processes of two containers may, with other words.
start "$name" hammer
one=$pid
start "$name" knet
two=$pid
fake "$name-1" fine
seven=$pid
fake "$name-2" fine
eight=$pid

valid() { # the text's file
    promtool check metrics <"$1" >"$folder/promtool" 2>&1 || fail "promtool: $(head -5 "$folder/promtool")"
    # promtool does not see this: a family's HELP and TYPE come once, and its samples stand together.
    awk '/^# (HELP|TYPE) / { if (seen[$2, $3]++) print "twice: " $0; if ($2 == "HELP") family = $3; next }
         { name = $0; sub(/[{ ].*/, "", name); short = name; sub(/_(bucket|sum|count)$/, "", short)
           if (name != family && short != family) print "astray: " $0
           key = $0; sub(/ [^ ]*$/, "", key); if (samples[key]++) print "two samples: " key }' "$1" >"$folder/astray"
    [ ! -s "$folder/astray" ] || fail "$(head -3 "$folder/astray")"
}

"$command" metrics "$name" >"$folder/text" || fail "metrics of $name"
valid "$folder/text"
for pid in "$one" "$two"; do
    grep -q "^pk11cache_lookups_total{pid=\"$pid\",program=\"$name\",call=\"create\",result=\"hit\"} [1-9]" \
        "$folder/text" || fail "no hits of $pid"
done
grep -q '^pk11cache_processes 2$' "$folder/text" || fail "pk11cache_processes is not 2"
grep -q '^pk11cache_processes_silent 0$' "$folder/text" || fail "pk11cache_processes_silent is not 0"

# Everything that there is, here with processes of others too.
"$command" metrics >"$folder/all" 2>/dev/null
valid "$folder/all"
for pid in "$one" "$two" "$seven" "$eight"; do
    grep -q "^pk11cache_info{pid=\"$pid\",program=\"" "$folder/all" || fail "metrics left $pid out"
done
grep -q 'pid="7"' "$folder/all" && fail "the number inside a container is the label"
[ "$(grep -c '^# HELP pk11cache_info versions' "$folder/all")" -eq 1 ] || fail "not the first process's HELP"
grep -q "^pk11cache_fake_seconds_bucket{pid=\"$seven\",program=\"fake\",le=\"+Inf\"} 3" "$folder/all" ||
    fail "a family that only one process has is missing"

# The collector: whole files only, readable for all, and nothing else left behind.
mkdir "$folder/collector"
(umask 077 && "$command" metrics "$name" --textfile "$folder/collector") || fail "--textfile"
valid "$folder/collector/pk11cache.prom"
[ "$(stat -c %a "$folder/collector/pk11cache.prom")" = 644 ] || fail "the file is not readable for all"
before=$(stat -c %i "$folder/collector/pk11cache.prom")
exec 3<"$folder/collector/pk11cache.prom"
expect 0 '' "$command" metrics "$name" --textfile "$folder/collector"
[ "$(stat -c %i "$folder/collector/pk11cache.prom")" != "$before" ] || fail "the file was written in place"
tail -1 <&3 | grep -q '^pk11cache_processes_silent 0$' || fail "who reads the old file does not get all of it"
exec 3<&-
[ "$(ls -A "$folder/collector")" = pk11cache.prom ] || fail "left behind: $(ls -A "$folder/collector")"

# One that does not answer: the others are written, and the exit status tells.
fake "$name-s" empty
expect any 'closed without an answer' "$command" metrics --textfile "$folder/collector"
expect 1 'closed without an answer' "$command" metrics "$pid" --textfile "$folder/collector"
grep -q '^pk11cache_processes_silent 1$' "$folder/collector/pk11cache.prom" || fail "a silent process is not counted"
"$command" metrics >"$folder/all" 2>/dev/null && fail "a silent process is no failure"
grep -q "^pk11cache_info{pid=\"$one\"" "$folder/all" || fail "a silent process keeps the others out"

# Faults of the folder leave the old file and no other.
expect 1 "$folder/none/pk11cache.prom can't be written: No such file" "$command" metrics "$name" --textfile "$folder/none"
expect 1 "can't be written: Not a directory" "$command" metrics "$name" --textfile "$folder/text"
mkdir -p "$folder/taken/pk11cache.prom"
expect 1 "can't be written: Is a directory" "$command" metrics "$name" --textfile "$folder/taken"
[ "$(ls -A "$folder/taken")" = pk11cache.prom ] || fail "left behind: $(ls -A "$folder/taken")"
"$command" metrics "$name" >/dev/full 2>/dev/null && fail "a full disk is no failure"
ends
