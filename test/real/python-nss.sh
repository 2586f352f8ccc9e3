#!/bin/bash
# python-nss.sh BUILD: python3-nss, bare and preloaded: the same output, in 8 threads and after a fork, and a hit share of 99 %.
build=$1 dir=$(mktemp -d) here=$(cd "$(dirname "$0")" && pwd)
trap 'rm -rf "$dir"' EXIT
"$here/../../tools/install-packages" python3-nss || exit 1
/usr/bin/python3 "$here/python_nss.py" 400 >"$dir/bare" 2>&1 || { cat "$dir/bare"; exit 1; }
LD_PRELOAD="$build/libpk11cache.so" PK11CACHE_REPORT="$dir/report" PK11CACHE_SOCKET=none /usr/bin/python3 "$here/python_nss.py" 400 >"$dir/preloaded" 2>&1
diff "$dir/bare" "$dir/preloaded" || exit 1
grep -q 'shut down' "$dir/bare" && ! grep -q wrong "$dir/bare" || { cat "$dir/bare"; exit 1; }
awk '$1 == "calls" { calls = $2 } $1 == "hits" { hits = $2 } END { print hits " hits of " calls; exit !(calls > 10000 && hits >= 0.99 * calls) }' "$dir/report"
