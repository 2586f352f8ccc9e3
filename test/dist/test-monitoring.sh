#!/bin/bash
# test-monitoring.sh BUILD SOURCE: the alert rules do what they say, and every metric, label value and query of the rules and
# of the dashboard is real: a live process answers with it, and promtool understands it.
set -u
. "$(dirname "$0")/../tools/socket-tests.sh"
source=$2
rules=$source/dist/prometheus/pk11cache.rules.yml
dashboard=$source/dist/grafana/pk11cache.json

promtool check rules "$rules" >"$folder/out" 2>&1 || fail "promtool check rules: $(head -5 "$folder/out")"
cp "$rules" "$source/test/dist/rules-test.yml" "$folder"
(cd "$folder" && promtool test rules rules-test.yml) >"$folder/out" 2>&1 || fail "promtool test rules: $(head -20 "$folder/out")"

start "p11d$$" hammer
"$command" metrics "p11d$$" >"$folder/metrics" || fail "metrics"
{ # queries, one a line; those of variables too
    jq -r '.panels[].targets[].expr, (.templating.list[] | select(.type == "query").query)' "$dashboard" || echo broken
} >"$folder/queries"
[ "$(wc -l <"$folder/queries")" -ge 10 ] || fail "the dashboard has hardly a query"
cat "$folder/queries" "$rules" | grep -oE 'pk11cache_[a-z0-9_]+' | sort -u >"$folder/names"
while read -r name; do
    grep -qE "^$name[{ ]" "$folder/metrics" || fail "no process has the metric $name"
done <"$folder/names"
cat "$folder/queries" "$rules" | grep -oE '(call|result|reason)!?="[a-z_]+"' | sed 's/!=/=/' | sort -u >"$folder/labels"
while read -r label; do
    grep -qF "$label" "$folder/metrics" || fail "no metric has the label $label"
done <"$folder/labels"

# promtool reads the dashboard's queries as rules.
{
    printf 'groups:\n- name: dashboard\n  rules:\n'
    grep -v '^label_values' "$folder/queries" | sed "s/\\\$__rate_interval/5m/g; s/'/''/g; s/.*/  - {record: \"q:NR\", expr: '&'}/" |
        awk '{ sub(/q:NR/, "q:" NR); print }'
} >"$folder/dashboard.yml"
promtool check rules "$folder/dashboard.yml" >"$folder/out" 2>&1 || fail "the dashboard's queries: $(head -5 "$folder/out")"
[ "$failed" -eq 0 ] && echo "$(wc -l <"$folder/names") metrics, $(wc -l <"$folder/queries") queries"
ends
