#!/bin/bash
# run-snippet.sh SNIPPET.c [SETTING...]: the snippet prints the same, and ends with the same status, in every setting (or in these). The plain
# one is the oracle. Where calls can be cached, some are. Lines of the snippet's head say more (docs/snippets.md):
#   not in: SETTING... - why       only in: SETTING... - why       set: NAME=VALUE...       counts: COUNTER[=VALUE]...
# ctest sets SNIPPET_HOSTS, PK11CACHE_LIBRARY and where the other preloaded libraries are.
set -u
source=$1 name=$(basename "$1" .c) failed=0
shift
hosts=$SNIPPET_HOSTS library=$PK11CACHE_LIBRARY
host=$hosts/snippet_host plugin_host=$hosts/snippet_plugin_host snippets=$hosts/libsnippets.so
all="preloaded constructor static_object local deepbind fork warm warm_fork thread daemon again jemalloc tcmalloc mimalloc faketime
setpriv capabilities setgid seccomp seccomp_kills nproc nofile full_disk unloaded engine_reset engine_off verify"
fail() { echo "$name, $*"; failed=1; }

tag() { # name: the words after it in the head, up to " - "
    sed -n "s/^[ /]*\* *$1: *//p; /\*\//q" "$source" | sed 's/ - .*//; s/ *\*\/.*//' | tr '\n' ' '
}
not_in=$(tag 'not in') only_in=$(tag 'only in') set=$(tag set) counts=$(tag counts)
[ -n "$counts" ] || fail "its head has no line that begins with counts:"
settings=${*:-${only_in:-$all}}

[ "$(id -u)" -eq 0 ] || not_in+=" setpriv nproc capabilities setgid" # only root can make these

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
# Capabilities with which another user can read this folder and the build's.
reach=(--inh-caps=+dac_override --ambient-caps=+dac_override)
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups "${reach[@]}")

start() { # [NAME=VALUE...] COMMAND...: with the variables of the snippet, output and status kept
    # shellcheck disable=SC2086
    timeout 60 env $set PK11CACHE_REPORT="$dir/report" PK11CACHE_SOCKET="$dir/s.%p" "$@" >"$dir/out" 2>"$dir/errors" </dev/null
    status=$?
}
over() { # LIBRARY [NAME=VALUE...]: preloaded with another
    [ -e "$1" ] || { echo "a library is not installed" >"$dir/errors"; status=99; return; }
    start LD_PRELOAD="$library:$1" "${@:2}" "$host" here "$name"
}
copy() { # with what the loader is to distrust
    cp "$hosts/snippet_linked_host" "$dir/copy" && chgrp 65534 "$dir/copy" && chmod "$1" "$dir/copy"
}

run() { # setting
    case $1 in
    plain) start "$host" here "$name" ;;
    preloaded) start LD_PRELOAD="$library" "$host" here "$name" ;;
    constructor | static_object) start LD_PRELOAD="$library" SNIPPET_EARLY="$1 $name" "$host" early "$name" ;;
    local) start LD_PRELOAD="$library" "$plugin_host" here "$name" "$snippets" ;;
    deepbind) start LD_PRELOAD="$library" "$plugin_host" deepbind "$name" "$snippets" ;;
    fork | warm | warm_fork | thread | daemon | again | seccomp) start LD_PRELOAD="$library" "$host" "$1" "$name" ;;
    seccomp_kills) start LD_PRELOAD="$library" "$host" killing "$name" ;;
    jemalloc) over "$JEMALLOC" ;;
    tcmalloc) over "$TCMALLOC" ;;
    mimalloc) over "$MIMALLOC" ;;
    faketime) over "$FAKETIME" FAKETIME="-400d x3" ;;
    setpriv) start "${as_nobody[@]}" --no-new-privs env LD_PRELOAD="$library" "$host" here "$name" ;;
    nproc) start "${as_nobody[@]}" env LD_PRELOAD="$library" "$host" nproc "$name" ;;
    nofile) start LD_PRELOAD="$library" NSS_DISABLE_UNLOAD=1 "$host" nofile "$name" ;;
    capabilities)
        copy 755 && setcap cap_dac_override+ep "$dir/copy" && start "${as_nobody[@]}" "$dir/copy" secure "$name"
        ;;
    setgid) copy 2755 && start "$dir/copy" secure "$name" ;;
    full_disk) start LD_PRELOAD="$library" PK11CACHE_REPORT=/dev/full "$host" here "$name" ;;
    unloaded) start "$plugin_host" unloaded "$name" "$snippets" "$library" ;;
    engine_reset) start LD_PRELOAD="$library" PK11CACHE_ENGINE=reset "$host" here "$name" ;;
    engine_off) start LD_PRELOAD="$library" PK11CACHE_ENGINE=off "$host" here "$name" ;;
    verify) start LD_PRELOAD="$library" PK11CACHE_VERIFY=1 "$host" here "$name" ;;
    *) echo "no such setting" >"$dir/errors"; status=99 ;;
    esac
}

sum() { awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "$dir/report" 2>/dev/null || echo 0; }

check_counts() { # the report of the setting "preloaded"
    local one value
    for one in $counts; do
        value=$(sum "${one%%=*}")
        case $one in
        *=*) [ "$value" -eq "${one#*=}" ] || fail "preloaded: ${one%%=*} is $value, not ${one#*=}" ;;
        *) [ "$value" -gt 0 ] || fail "preloaded: $one is 0" ;;
        esac
    done
}

check_report() { # setting: was anything cached, where it could be?
    case $1 in
    full_disk) grep -q "PK11CACHE_REPORT: /dev/full can't be written" "$dir/errors" || fail "$1: nobody says that the report is lost" ;;
    capabilities | setgid) [ ! -e "$dir/report" ] || fail "$1: it obeyed the environment" ;;
    deepbind | engine_off) [ "$(sum hits)" -eq 0 ] || fail "$1: calls were cached" ;;
    *)
        [ -s "$dir/report" ] || { fail "$1: no report"; return; }
        [ "$(sum hits)" -gt 0 ] || [ -n "$no_hits" ] || fail "$1: no call was cached"
        ;;
    esac
}

run plain
[ -s "$dir/errors" ] && fail "plain: $(head -3 "$dir/errors")"
[ -s "$dir/out" ] || fail "plain: no output"
[ $status -lt 99 ] || fail "plain: exit status $status"
plain=$status
mv "$dir/out" "$dir/plain"
no_hits=
tried=0
for setting in $settings; do
    [[ " $not_in " == *" $setting "* ]] && continue
    rm -f "$dir/report" "$dir/copy"
    status=99
    run "$setting"
    tried=$((tried + 1))
    # The cache may say why it does without something; nobody else says anything.
    strange=$(grep -v '^pk11cache\[' "$dir/errors" | head -3)
    [ -z "$strange" ] || fail "$setting: $strange"
    [ $status -ne 124 ] || { fail "$setting: not in time; the other settings are not tried"; break; }
    [ $status -eq $plain ] || fail "$setting: exit status $status, plain $plain"
    cmp -s "$dir/plain" "$dir/out" || { fail "$setting: the output differs"; diff "$dir/plain" "$dir/out" | head -20; }
    [[ " $counts " == *" hits=0 "* ]] && no_hits=yes
    [ "$setting" = preloaded ] && check_counts
    check_report "$setting"
done
[ $tried -gt 0 ] || fail "it ran in no setting"
[ $failed -eq 0 ] && echo "the same $(wc -l <"$dir/plain") lines in $tried settings"
exit $failed
