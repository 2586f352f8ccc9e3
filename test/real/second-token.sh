#!/bin/bash
# second-token.sh BUILD PROGRAM: a SoftHSM2 token beside the internal one, bare and preloaded: the same answers and as many sessions; its keys
# and contexts are bypasses.
build=$1 program=$2 dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$(dirname "$0")/../../tools/install-packages" softhsm2 || exit 1
module=$(find /usr/lib -name libsofthsm2.so | head -1)
mkdir "$dir/bare" "$dir/preloaded"
run() { # kind, environment...
    local kind=$1
    shift
    export SOFTHSM2_CONF=$dir/$kind.conf
    echo "directories.tokendir = $dir/$kind" >"$SOFTHSM2_CONF"
    softhsm2-util --init-token --free --label second --pin 1234 --so-pin 1234 >/dev/null || exit 1
    env "$@" "$program" "$module" >"$dir/$kind.out" 2>&1
    echo "exit $?" >>"$dir/$kind.out"
}
run bare
run preloaded LD_PRELOAD="$build/libpk11cache.so" PK11CACHE_REPORT="$dir/report" PK11CACHE_SOCKET=none
diff "$dir/bare.out" "$dir/preloaded.out" || { echo "they differ"; exit 1; }
grep -q 'login: 0' "$dir/bare.out" && grep -q 'context 1, op 0, final 0' "$dir/bare.out" && grep -q 'exit 0' "$dir/bare.out" || { echo "bare did not do what it should"; cat "$dir/bare.out"; exit 1; }
awk '$1 == "bypass_token" { tokens = $2 } $1 == "keys_made" { keys = $2 } END { print tokens " bypasses for the token, " keys " keys cached"; exit !(tokens >= 18 && keys == 1) }' "$dir/report"
