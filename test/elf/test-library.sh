#!/bin/sh
# test-library.sh LIBRARY HOOKS.DEF: the check passes, and fails on a library that breaks each promise.
# Rows "preeny#83" (GLIBC_), "jemalloc#937, #1237" (TLS), "SSSD#6505, s2n-tls#3987" (nodelete). Tried on our library too: getrandom() called
# in lifecycle.c: "it needs GLIBC_2.25"; 8 KiB in struct thread: "its TLS segment has 8232 bytes"; linked without -z nodelete: "it can be
# unloaded".
here=$(dirname "$0") dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$here/check-library.sh" "$1" "$2" || exit 1
cat >"$dir/wrong.c" <<'C'
#include <math.h>
#include <sys/random.h>
static __thread char large[256];
double surplus(double x) { large[0] = (char)x; return sin(x) + (double)getrandom(large, sizeof large, 0); }
C
echo 'WRONG_1 { global: surplus; local: *; };' >"$dir/map"
cc -shared -fPIC -o "$dir/wrong.so" "$dir/wrong.c" -Wl,--version-script="$dir/map" -lm || exit 1
found=$("$here/check-library.sh" "$dir/wrong.so" "$2") && { echo "a wrong library passed"; exit 1; }
for word in DT_NEEDED TLS nodelete exports needs versions; do
    printf '%s\n' "$found" | grep -q "$word" || { echo "not found out: $word"; exit 1; }
done
echo "the library keeps its promises; a wrong one is found out: "
printf '%s\n' "$found"
