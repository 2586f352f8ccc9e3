#!/bin/sh
# A mutated library under verify mode: no difference reaches the program, the mismatch is said once and counted.
out=$("$@" 2>&1)
status=$?
said=$(printf '%s\n' "$out" | grep -c 'the cache and NSS differ .*: the cache is off')
mismatches=$(printf '%s\n' "$out" | awk '$1 == "verify_mismatches" { print $2 }')
bypassed=$(printf '%s\n' "$out" | awk '$1 == "bypass_off" { print $2 }')
[ $status -eq 0 ] && [ "$said" -eq 1 ] && [ "${mismatches:-0}" -ge 1 ] && [ "${bypassed:-0}" -gt 1000 ] && exit 0
printf 'exit %s, said %s, mismatches %s, bypassed afterwards %s\n%s\n' "$status" "$said" "$mismatches" "$bypassed" "$out" | tail -20
exit 1
