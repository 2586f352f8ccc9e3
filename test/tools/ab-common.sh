# shellcheck shell=bash disable=SC2034
# ab-common.sh: for test-ab-run.sh and test-ab-daemon.sh. Sets build, ab, dir, failed; sourced with BUILD as $1.
build=$1 failed=0
ab=("$build/pk11cache" ab) hammer=$build/workloads/hammer
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"
unset LD_PRELOAD PK11CACHE_LIB

wrong() {
    echo "wrong: $*"
    failed=1
}

expect() { # what, expected status, a pattern in the output, command...; the output stays in $out
    local what=$1 status=$2 pattern=$3 got
    shift 3
    out=$("$@" 2>&1)
    got=$?
    if [ $got -ne "$status" ] || ! grep -qE -- "$pattern" <<<"$out"; then
        printf 'wrong: %s: status %s (expected %s), output:\n%s\n' "$what" $got "$status" "$out"
        failed=1
    else
        echo "ok: $what"
    fi
}

has() { grep -qE -- "$2" <<<"$out" || wrong "$1: no \"$2\" in: $out"; }
has_not() { ! grep -qE -- "$2" <<<"$out" || wrong "$1: \"$2\" in: $out"; }

# Every process whose number is in this file is gone.
gone() { # what, file
    local pid alive=
    [ -s "$2" ] || wrong "$1: nothing was started"
    while read -r pid; do
        grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$pid/status" && alive="$alive $pid" # a zombie is gone
    done <"$2"
    if [ -z "$alive" ]; then echo "ok: $1"; else wrong "$1: still there:$alive"; fi
}

wait_for() { # a file that is not empty
    for _ in $(seq 200); do
        [ -s "$1" ] && return
        sleep 0.05
    done
    wrong "$1 did not come"
}

finish() {
    [ -z "$(ls -A "$TMPDIR")" ] || wrong "left behind: $(ls -A "$TMPDIR")"
    exit $failed
}
