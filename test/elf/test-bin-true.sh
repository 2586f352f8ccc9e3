#!/bin/bash
# test-bin-true.sh LIBRARY: preloaded into a program without NSS it opens nothing but itself, and starts nothing. The times are printed
# for the reader; nothing depends on them.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 'int empty;' >"$dir/empty.c"
cat >"$dir/busy.c" <<'C'
#include <fcntl.h>
#include <sys/socket.h>
__attribute__((constructor)) static void start(void) { socket(AF_UNIX, SOCK_STREAM, 0); open("/etc/hostname", O_RDONLY); }
C
for name in empty busy; do
    cc -shared -fPIC -o "$dir/$name.so" "$dir/$name.c" || exit 1
done

calls() { # library: what it starts by name, and what it opens but libraries
    strace -f -o "$dir/trace" -E LD_PRELOAD="$1" /bin/true || { echo "strace or the program failed"; return; }
    sed 's/^[0-9]* *//; s/(.*//' "$dir/trace" | grep -E '^(clone|clone3|fork|vfork|socket|bind|connect|creat|unlink|mkdir|prctl|membarrier|getrandom|rt_sigaction)$' | sort | uniq -c
    grep -E 'open(at)?\(' "$dir/trace" | grep -oE '"[^"]*"' | grep -vE '/libpthread.so.0|/libdl.so.2|\.so"' | sort
}
median() { # library: of 101 starts, in microseconds
    for _ in $(seq 101); do
        begin=${EPOCHREALTIME/./}
        LD_PRELOAD=$1 /bin/true
        echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n | sed -n 51p
}

for name in "$dir/empty.so" "$dir/busy.so" "$1"; do
    calls "$name" >"$dir/of_${name##*/}"
done
ours="$dir/of_${1##*/}"
grep -q openat "$dir/trace" || { echo "strace shows nothing"; exit 1; }
diff "$dir/of_empty.so" "$dir/of_busy.so" >"$dir/difference"
grep -q socket "$dir/difference" && grep -q hostname "$dir/difference" || { echo "the comparison is blind"; exit 1; }
diff "$dir/of_empty.so" "$ours" || exit 1
echo "no thread, no socket, no file; a start with an empty library $(median "$dir/empty.so") us, with ours $(median "$1") us"
