#!/bin/bash
# run-fuzz.sh BUILD SECONDS [CORPUS [--keep]]: build the fuzz target with clang and let it run from the corpus (default: test/fuzz/corpus.tar.xz, else a
# folder); --keep merges what it found into the folder. Exit 1 on a difference; its input is then printed in base64.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 seconds=$2 corpus=${3:-} keep=${4:-}
mkdir -p "$build/fuzz"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new"
# shellcheck disable=SC2046
clang -g -O1 -std=gnu11 -fsanitize=fuzzer -D_GNU_SOURCE -DWITH_CORE -DPK11CACHE_VERSION='"fuzz"' -I"$top" -I"$top/test/differential" \
    -ftls-model=initial-exec -rdynamic -Wl,--no-as-needed -o "$build/fuzz/fuzz" "$top"/test/fuzz/fuzz.c \
    "$top"/test/differential/{sides,pair,mechanisms,generate,run}.c "$top"/preload/*.c "$top"/hooks/*.c "$top"/stats/*.c \
    $(pkg-config --cflags --libs nss nspr) -lpthread -ldl
seeds=()
if [ -z "$corpus" ]; then
    corpus=$work/corpus
    mkdir "$corpus"
    tar -C "$corpus" -xJf "$top/test/fuzz/corpus.tar.xz"
fi
[ -d "$corpus" ] && seeds=("$corpus")
cd "$work"
status=0
PK11CACHE_SOCKET=none "$build/fuzz/fuzz" -max_total_time="$seconds" -max_len=2048 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$work/" \
    "$work/new" "${seeds[@]}" >"$work/log" 2>&1 || status=1
grep -E 'stat::number_of_executed_units|stat::average_exec|cov:|^difference' "$work/log" | tail -4
if [ $status -ne 0 ]; then
    tail -40 "$work/log"
    for found in "$work"/crash-* "$work"/timeout-* "$work"/oom-*; do [ -f "$found" ] && base64 "$found"; done
    exit 1
fi
executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
[ "${executed:-0}" -gt 1000 ] || { echo "only $executed inputs were run"; exit 1; }
if [ "$keep" = --keep ]; then
    mkdir -p "$corpus"
    PK11CACHE_SOCKET=none "$build/fuzz/fuzz" -merge=1 "$corpus" "$work/new" >/dev/null 2>&1
    echo "the corpus has $(find "$corpus" -type f | wc -l) inputs"
fi
