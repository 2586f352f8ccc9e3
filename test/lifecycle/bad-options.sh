#!/bin/sh
# bad-options.sh LIBRARY PROGRAM: a bad value gets one line that names variable, value and range; the program goes on.
library=$1 program=$2 failed=0
check() {
    out=$(env "$1=$2" PK11CACHE_REPORT=/dev/null LD_PRELOAD="$library" "$program" after_use 2>&1 >/dev/null)
    if [ "$(printf '%s\n' "$out" | grep -c "$1=$2.*$3")" -ne 1 ] || [ "$(printf '%s\n' "$out" | wc -l)" -gt 2 ]; then
        echo "for $1=$2 expected one line with $3, got: $out"
        failed=1
    fi
}
check PK11CACHE_ENGINE fast 'stream|reset|off'
check PK11CACHE_MAX_KEYS 0 '1..65536'
check PK11CACHE_MAX_KEYS lots '1..65536'
check PK11CACHE_IDLE_TTL 1.5 '1..86400'
check PK11CACHE_SESSION_LOCKS few 'many|as-asked'
check PK11CACHE_VERBOSE yes '0|1'
[ $failed -eq 0 ] && echo "each bad value was named" || exit 1
