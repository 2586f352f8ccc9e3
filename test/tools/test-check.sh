#!/bin/bash
# test-check.sh BUILD: `pk11cache check` on a program for each answer it has, and on running processes.
set -u
. "$(dirname "$0")/socket-tests.sh"
command=$(realpath "$command") library=$(realpath "$library")
programs=$(realpath "$build")/test/tools/check
umask 022
chmod 755 "$folder"

yes() { # pattern, arguments...
    expect 0 "$1" "$command" check "${@:2}"
}
no() {
    expect 1 "$1" "$command" check "${@:2}"
}
bad() {
    expect 2 "$1" "$command" check "${@:2}"
}
silent_of() { # pattern, arguments...: nothing of the kind is said
    "$command" check "${@:2}" 2>&1 | grep -Eq -- "$1" && fail "check ${*:2} says \"$1\""
}

# --- files ---
see='^The cache would be preloaded, and would see these calls'
see_none='^The cache would be preloaded, but would see no calls'
not_preloaded='^The cache would not be preloaded: '
yes '^hammer makes NSS contexts by PK11_CreateContextBySymKey\.$' "$build/workloads/hammer"
for program in check_calls check_calls_now; do
    yes "^$program makes NSS contexts by PK11_CreateContextBySymKey" "$programs/$program"
    yes "$see" "$programs/$program"
done
yes '^libssl3.so \(/.*libssl3.so\) makes NSS contexts by PK11_CreateContextBySymKey and PK11_CreateDigestContext' certutil
expect 0 "$see" env PATH="$programs:$PATH" "$command" check check_calls
(cd "$programs" && yes "$see" ./check_calls; exit $failed) || failed=1

no '^check_own has NSS in itself: it defines PK11_CreateContextBySymKey, linked into it statically' "$programs/check_own"
no "$see_none" "$programs/check_own"
no '^libcheck_user_object.so .* but the program itself defines that' "$programs/check_own_exported"
no '^libcheck_own_symbolic_object.so \(/.* has NSS in itself: .*linked with -Bsymbolic' "$programs/check_own_symbolic"
yes '^libcheck_own_plain_object.so \(/.* makes NSS contexts' "$programs/check_own_plain"
no '^check_dlsym looks up PK11_CreateDigestContext with dlsym' "$programs/check_dlsym"
no '^check_openssl uses OpenSSL instead \(EVP_EncryptInit_ex\)' "$programs/check_openssl"
silent_of OpenSSL "$build/workloads/hammer"
no '^check_slot_only uses NSS \(PK11_GetBestSlot\), but makes no context' "$programs/check_slot_only"
no '^check_host opens plugins with dlopen.*RTLD_DEEPBIND' "$programs/check_host"
no "${not_preloaded}it is a static executable" "$programs/check_static"
no '^check_static has NSS in itself' "$programs/check_static"
no '^true makes no NSS contexts' /bin/true

# Another architecture: the header's machine. A 32-bit program, where the compiler can make one.
for other in '\267' '\076'; do # arm64, x86-64
    cp "$programs/check_calls" "$folder/other"
    printf "$other" | dd of="$folder/other" bs=1 seek=18 conv=notrunc status=none
    cmp -s "$programs/check_calls" "$folder/other" ||
        no "${not_preloaded}it is a program for (arm64|x86-64), 64-bit, and the library is for" "$folder/other"
done
if printf 'void _start(void) { for (;;); }' |
    cc -m32 -nostdlib -ffreestanding -fno-pie -no-pie -x c - -o "$folder/small" 2>/dev/null; then
    no "${not_preloaded}it is a program for x86, 32-bit, and the library is for x86-64" "$folder/small"
fi

# An old glibc: its loader and libc.so.6 are stand-ins. And a loader that somebody else could have written.
printf 'GLIBC_2.2.5 { global: a; };\nGLIBC_2.12 { global: b; } GLIBC_2.2.5;\n' >"$folder/map"
mkdir "$folder/old"
printf 'int a, b;' | cc -shared -fPIC -nostdlib -x c - -Wl,--version-script="$folder/map" -Wl,-soname,libc.so.6 -o "$folder/old/libc.so.6"
printf '#!/bin/sh\nprintf "\\tlibc.so.6 => %s (0x00007f)\\n"\n' "$folder/old/libc.so.6" >"$folder/loader"
chmod 755 "$folder/loader"
printf 'int main(void) { return 0; }' | cc -x c - -Wl,--dynamic-linker="$folder/loader" -o "$folder/old/program"
no "${not_preloaded}its glibc is 2\.12, and the library needs 2\.17 or newer" "$folder/old/program"
chmod 777 "$folder/loader"
no "${not_preloaded}its loader $folder/loader could have been written by others" "$folder/old/program"
printf '#!/bin/sh\necho "no such thing"; exit 1\n' >"$folder/loader"
chmod 755 "$folder/loader"
no "${not_preloaded}its loader says: no such thing" "$folder/old/program"
rm "$folder/loader"
no "${not_preloaded}its loader $folder/loader: No such file" "$folder/old/program"
printf 'int main(void) { return 0; }' | cc -x c - -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 -o "$folder/musl"
no "${not_preloaded}its C library is musl" "$folder/musl"
cp "$programs/check_own_plain" "$folder/lacking"
cp "$programs/libcheck_own_plain_object.so" "$folder/"
cc -x c - -o "$folder/lacking" -L"$folder" -lcheck_own_plain_object <<<'int own_use(void); int main(void) { return own_use(); }'
no "${not_preloaded}its loader says: .*libcheck_own_plain_object.so" "$folder/lacking"
expect 0 "$see" env LD_LIBRARY_PATH="$folder" "$command" check "$folder/lacking"
expect 0 "$see" env LD_PRELOAD=/nowhere/libother.so "$command" check "$programs/check_calls"

# Scripts, and what can't be checked.
printf '#! /usr/bin/python3 -u \nprint()\n' >"$folder/script"
no 'is a script, which /usr/bin/python3 runs: .*pk11cache check /usr/bin/python3$' "$folder/script"
printf '#!/usr/bin/env -S A=1 perl -w\n' >"$folder/script"
no 'is a script, which perl runs' "$folder/script"
printf '#!' >"$folder/script"
any_end() { [ $? -le 2 ] || fail "an empty interpreter: $?"; }
"$command" check "$folder/script" >/dev/null 2>&1
any_end
echo 'some text' >"$folder/text"
bad "is no ELF program, and no script" "$folder/text"
: >"$folder/empty"
bad "is no ELF program" "$folder/empty"
head -c 500 "$programs/check_calls" >"$folder/cut"
"$command" check "$folder/cut" >/dev/null 2>&1
any_end
bad 'is a shared object: check a program that loads it' "$programs/libcheck_user_object.so"
cc -c -x c - -o "$folder/object.o" <<<'int a;'
bad 'is an ELF file, but no program' "$folder/object.o"
bad "^pk11cache: $folder/nothing: No such file" "$folder/nothing"
bad '^pk11cache: no-such-program-at-all: No such file' no-such-program-at-all
bad 'is no file' "$folder"
bad 'which program or process'
bad 'which program or process' ''
bad 'one argument too many' /bin/true /bin/true
bad 'there is no user nobody-at-all' --user nobody-at-all /bin/true
bad "can't be read" --lib "$folder/none.so" /bin/true
echo text >"$folder/libpk11cache.so"
no 'would not start' --lib "$folder/libpk11cache.so" /bin/true
expect 0 'BINARY.PID' "$command" check --help

# A name must not steer the terminal.
cp "$programs/check_own" "$folder/"$'\e[31mred'
no '^\?\[31mred has NSS in itself' "$folder/"$'\e[31mred'

# --- set-ID bits and file capabilities ---
mine=$(id -u)
cp "$programs/check_calls" "$folder/rights"
if [ "$mine" -eq 0 ]; then
    cp "$programs/check_host" "$folder/"
    chown 65534 "$folder/rights" && chmod 4755 "$folder/rights"
    no "${not_preloaded}.* set-user-ID or set-group-ID bit.* when this user starts it" "$folder/rights"
    no '^rights makes NSS contexts' "$folder/rights"
    yes "$see" --user 65534 "$folder/rights"
    chown 0:65534 "$folder/rights" && chmod 2755 "$folder/rights"
    no "${not_preloaded}.* set-user-ID or set-group-ID bit" "$folder/rights"
    chmod 2644 "$folder/rights" # mandatory locking, no right
    yes "$see" "$folder/rights"
    chown 0:0 "$folder/rights" && chmod 755 "$folder/rights"
    if setcap cap_net_bind_service+ep "$folder/rights" 2>/dev/null; then
        no "${not_preloaded}.* has file capabilities.* when 65534 starts it" --user 65534 "$folder/rights"
        yes '^That holds for root' "$folder/rights"
        setcap cap_net_bind_service+i "$folder/rights"
        yes "$see" --user 65534 "$folder/rights"
    fi
fi

# --- processes ---
preloaded() { # file for its output, program...: its pid is $pid
    local output=$1
    shift
    PK11CACHE_SOCKET=$folder/%p.sock LD_PRELOAD=$library "$@" >"$output" &
    pid=$!
    pids+=("$pid")
    for _ in $(seq 100); do
        grep -qs ready "$output" && return
        sleep 0.05
    done
    fail "$* is not ready"
}

start p11check$$ hammer
yes "^p11check$$ makes NSS contexts by PK11_CreateContextBySymKey\\.$" "$pid"
yes "^The cache is in process $pid \\(p11check$$\\)" "$pid"
yes '^Calls are seen: [1-9][0-9.kM]* so far, (99|100)\.[0-9]+ % of them served from the cache \(engine stream, mode up\)' "$pid"
"$command" set "$pid" engine off >/dev/null
yes "^Its engine is switched off; back on: pk11cache set $pid engine stream" "$pid"
rm "$folder/p11check$$" # replaced by an upgrade, say
yes '^Calls are seen' "$pid"
stop_one "$pid"
yes '^What it has seen is not known: ' "$pid" # bound to the cache all the same
end_one "$pid"
bad "there is no process $pid" "$pid"
bad 'there is no process' 99999999999999999999
bad 'there is no process 0' 0

"$build/workloads/hammer" --seconds 60 --threads 1 >/dev/null &
bare=$!
pids+=("$bare")
for _ in $(seq 100); do grep -qs libnss3 "/proc/$bare/maps" && break; sleep 0.05; done
no "^The cache is not in process $bare \\(hammer\\): it was started without it" "$bare"
no '^hammer makes NSS contexts' "$bare"
silent_of 'Calls are seen|is in process' "$bare"

# A plugin: reached, or past the cache though it is in the process, or not called yet.
preloaded "$folder/now" "$programs/check_host" "$programs/libcheck_plugin.so" now
yes '^libcheck_plugin.so .* makes NSS contexts by PK11_CreateDigestContext\.' "$pid"
yes '^Calls are seen: 100 so far' "$pid"
preloaded "$folder/deep" "$programs/check_host" "$programs/libcheck_plugin.so" deep
no '^libcheck_plugin.so .* past the cache: it is bound to libnss3.so itself, as by RTLD_DEEPBIND' "$pid"
no "^The cache is in process $pid" "$pid"
preloaded "$folder/space" "$programs/check_host" "$programs/libcheck_plugin.so" space
no 'past the cache: it is bound to libnss3.so itself, .*dlmopen' "$pid"
preloaded "$folder/idle" "$programs/check_host" "$programs/libcheck_plugin.so" now idle
yes 'no socket yet: the first call that can be cached makes it' "$pid"
yes '^Some of these functions have not been called yet' "$pid"
PK11CACHE_ONLY=ceph-osd preloaded "$folder/only" "$programs/check_host" "$programs/libcheck_plugin.so" now
yes '^PK11CACHE_ONLY limits the cache to: ceph-osd' "$pid"
preloaded "$folder/handle" "$programs/check_dlsym"
no '^check_dlsym looks up PK11_CreateDigestContext with dlsym' "$pid"
preloaded "$folder/everywhere" "$programs/check_dlsym" everywhere
yes '^check_dlsym looks up PK11_CreateDigestContext with dlsym' "$pid" # but the cache came first
yes '^Calls are seen: 1 so far' "$pid"
LD_PRELOAD=/nowhere/libpk11cache.so "$programs/check_host" "$programs/libcheck_plugin.so" now >"$folder/lost" 2>/dev/null &
pid=$!
pids+=("$pid")
for _ in $(seq 100); do grep -qs ready "$folder/lost" && break; sleep 0.05; done
no 'it was started with LD_PRELOAD=/nowhere/libpk11cache.so, but the loader did not find or take that' "$pid"

if [ "$mine" -eq 0 ]; then
    # Started with other rights than the user's.
    cp "$programs/libcheck_plugin.so" "$folder/"
    chown 65534 "$folder/check_host" && chmod 4755 "$folder/check_host"
    preloaded "$folder/secure" "$folder/check_host" "$folder/libcheck_plugin.so" now
    no 'was started with set-ID bits or file capabilities \(AT_SECURE\)' "$pid"
    # As another user: its own process, by path instead of map_files; a process of root; a thread of the kernel.
    cp "$command" "$library" "$folder/"
    chown 0 "$folder/check_host" && chmod 755 "$folder/check_host"
    as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    "${as_nobody[@]}" env LD_PRELOAD="$folder/libpk11cache.so" "$folder/check_host" "$folder/libcheck_plugin.so" now >"$folder/nobody" 2>&1 &
    pid=$!
    pids+=("$pid")
    for _ in $(seq 100); do grep -qs ready "$folder/nobody" && break; sleep 0.05; done
    expect 0 '^libcheck_plugin.so .* makes NSS contexts by PK11_CreateDigestContext\.' "${as_nobody[@]}" "$folder/pk11cache" check "$pid"
    end_one "$pid"
    expect 2 "no permission to look at process $bare" "${as_nobody[@]}" "$folder/pk11cache" check "$bare"
    # Files that only the process's own mount namespace has.
    mkdir "$folder/private"
    LD_PRELOAD='' unshare -m sh -c 'mount -t tmpfs none "$0/private" && cp "$0/check_host" "$0/libcheck_plugin.so" "$0/private/" &&
        exec "$@" "$0/private/check_host" "$0/private/libcheck_plugin.so" now idle' \
        "$folder" "${as_nobody[@]}" env LD_PRELOAD="$folder/libpk11cache.so" >"$folder/mounted" 2>&1 &
    pid=$!
    pids+=("$pid")
    for _ in $(seq 40); do grep -qs ready "$folder/mounted" && break; sleep 0.05; done
    if grep -qs ready "$folder/mounted"; then # mounting may be forbidden here
        expect 0 '^libcheck_plugin.so \(/.*/private/.* makes NSS contexts' "${as_nobody[@]}" "$folder/pk11cache" check "$pid"
    fi
    end_one "$pid"
    [ "$(cat /proc/2/comm 2>/dev/null)" != kthreadd ] || bad 'is a thread of the kernel' 2
fi
ends
