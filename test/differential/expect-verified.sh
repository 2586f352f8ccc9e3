#!/bin/sh
# The library as it is: no difference, many operations verified, no mismatch; with PK11CACHE_AB both arms were used.
out=$("$@" 2>&1)
status=$?
checks=$(printf '%s\n' "$out" | awk '$1 == "verify_checks" { print $2 }')
control=$(printf '%s\n' "$out" | awk '$1 == "bypass_control" { print $2 }')
printf '%s\n' "$out" | grep -q '^verify_mismatches' && status=mismatch
[ "$status" = 0 ] && [ "${checks:-0}" -gt 1000 ] && { [ -z "$PK11CACHE_AB" ] || [ "${control:-0}" -gt 1000 ]; } &&
    echo "$checks verified, $control to the control arm" && exit 0
printf 'exit %s, verified %s, control %s\n%s\n' "$status" "$checks" "$control" "$out" | tail -30
exit 1
