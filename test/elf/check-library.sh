#!/bin/sh
# check-library.sh LIBRARY HOOKS.DEF: what the loader will see. Exit 1 with a line for each broken promise.
library=$1 hooks=$2 failed=0
complain() { echo "$*"; failed=1; }

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
[ "$needed" = "libc.so.6 libdl.so.2 libpthread.so.0 " ] || complain "DT_NEEDED is $needed"

highest=$(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
[ "$(printf '%s\nGLIBC_2.17\n' "$highest" | sort -V | tail -1)" = GLIBC_2.17 ] || complain "it needs $highest"

tls=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
[ -n "$tls" ] && [ $((tls)) -le 64 ] || complain "its TLS segment has $((${tls:-0})) bytes"

readelf -d "$library" | grep -q NODELETE || complain "it can be unloaded (no -z nodelete)"

want=$(sed -n 's/^HOOK(\([A-Za-z0-9_]*\),.*/\1/p' "$hooks" | sort)
got=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
[ "$want" = "$got" ] || complain "exports differ from hooks.def: $(printf '%s\n%s\n' "$want" "$got" | sort | uniq -u | tr '\n' ' ')"
nm -D --with-symbol-versions --defined-only "$library" | grep -q '@' && complain "its exports have versions"
exit $failed
