#!/bin/sh
# A mutated library must be found out: exit status 1 and a printed difference. A crash is no find.
out=$("$@" 2>&1)
status=$?
printf '%s\n' "$out" | grep -m1 '^difference:' && [ $status -eq 1 ] && exit 0
printf 'not found: exit %s\n%s\n' "$status" "$out" | tail -5
exit 1
