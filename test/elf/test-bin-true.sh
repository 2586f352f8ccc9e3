#!/bin/sh
# test-bin-true.sh LIBRARY: preloaded into a program without NSS it opens nothing but itself, and starts nothing.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 'int empty;' >"$dir/empty.c"
cc -shared -fPIC -o "$dir/empty.so" "$dir/empty.c" || exit 1
calls() { # the system calls by name, without those that load a library
    strace -f -o "$dir/trace" -E LD_PRELOAD="$1" /bin/true || exit 1
    sed 's/^[0-9]* *//; s/(.*//' "$dir/trace" | grep -E '^(clone|clone3|fork|vfork|socket|bind|connect|creat|unlink|mkdir|prctl|membarrier|getrandom|rt_sigaction)$' | sort | uniq -c
    grep -E 'open(at)?\(' "$dir/trace" | grep -oE '"[^"]*"' | grep -vE '/libpthread.so.0|/libdl.so.2|\.so"' | sort
}
calls "$dir/empty.so" >"$dir/with_empty"
calls "$1" >"$dir/with_ours"
diff "$dir/with_empty" "$dir/with_ours" && echo "no thread, no socket, no file"
