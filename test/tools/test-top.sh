#!/bin/bash
# test-top.sh BUILD: top in a terminal of 80 columns (tmux): what it shows, its keys, and how it leaves.
set -u
. "$(dirname "$0")/socket-tests.sh"
name=p11t$$ slow=p11s$$
# All of top's are called by one name, so that others of this machine don't show.
terminal=(tmux -S "$folder/tmux" -f /dev/null)
trap '"${terminal[@]}" kill-server 2>/dev/null; end' EXIT

keys() {
    "${terminal[@]}" send-keys "$@"
}
screen() {
    "${terminal[@]}" capture-pane -p
}
# pattern, what is wrong without it: wait for it on the screen.
shows() {
    for _ in $(seq 60); do
        screen | grep -Eq -- "$1" && return
        sleep 0.05
    done
    fail "$2 (no \"$1\"): $(screen)"
}
# The processes' numbers in the screen's order, as "a b c".
order() {
    local rows
    rows=$(screen | awk 'NR > 2 && $1 ~ /^[0-9]+$/ { print $1 }')
    echo $rows
}
# a pattern of the order, what is wrong with another
ordered() {
    for _ in $(seq 60); do
        [[ "$(order)" =~ ^$1$ ]] && return
        sleep 0.05
    done
    fail "$2 the order is $(order), not $1: $(screen)"
}
# key, heading, pattern of the order
sorts() {
    keys "$1"
    shows "; by $2; " "the key $1 does not sort by $2"
    ordered "$3" "by $2"
}

start "$name" hammer --keys 5 # the largest rate, 5 keys
one=$pid
start "$name" hammer --bytes 65536 --keys 9
two=$pid
start "$name" knet --bytes 16384
three=$pid
for pid in "$two" "$three"; do # they are slow: each interval has its samples
    "$command" set "$pid" sample 1 >/dev/null
done

"${terminal[@]}" new-session -d -x 80 -y 12 'env PS1="prompt> " bash --norc --noprofile'
shows 'prompt>' "no shell"
keys "clear; stty -a >$folder/before; echo untouched" Enter
shows '^untouched' "no shell"
keys "$command top -d 0.3 $name; echo left with \$?; stty -a >$folder/after" Enter
shows '^3 processes, [0-9.]+[kM] calls/s, (99|100)\.[0-9]+ % hits; by CALLS/s; every 0\.3 s' "no head"
sleep 0.9 # rates of an interval
[ "$(screen | sed -n 2p)" = '    PID PROGRAM       CALLS/s  HIT % cre p50 cre p99  KEYS ENGINES ENGINE     UP' ] ||
    fail "the headings: $(screen)"
screen | grep -Eq "^ *$one $name +[0-9.]+[kM] +(99|100)\.[0-9]+ +[0-9.]+ (ns|us) +[0-9.]+ (ns|us|ms) +5 +[0-9]+ stream +[0-9]+s\$" ||
    fail "the row: $(screen)"
[ "$(screen | awk 'length > 80' | wc -l)" -eq 0 ] || fail "a line is longer than 80"
screen | sed -n 12p | grep -q '^q quit, o create/cipher_op, sort: p n c h 5 9 k e m u' || fail "the foot: $(screen)"

sorts k KEYS "$two $one $three"
sorts k 'KEYS reversed' "$three $one $two"
sorts p PID "$one $two $three"
keys r
shows '; by PID reversed; ' "r does not reverse"
ordered "$three $two $one" "reversed"
sorts c CALLS/s "$one .*"
sorts n PROGRAM "$one $two $three"
sorts u UP "$one $two $three"
sorts h 'HIT %' '.*'
sorts e ENGINES "$two $one $three"
sorts m ENGINE "$one $two $three"
keys o
shows ' op p50  op p99 ' "o does not change the latency"
sorts 9 'op p99' '.*'
sorts 5 'op p50' "$two .*"

# The engine is what acts; processes come and go; a stopped one is told.
expect 0 '^ok' "$command" set "$one" engine off
shows "^ *$one .* off +[0-9]+s\$" "the engine is not seen to be off"
start "$name" infernalis
four=$pid
shows "^ *$four $name " "a new process does not appear"
stop_one "$four"
shows "^ *$four $name +no answer on the socket" "a stopped process is not told"
end_one "$four"
shows '^3 processes' "a process that is gone stays"

# The terminal's size changes.
"${terminal[@]}" resize-window -x 110 -y 5
shows ' sort: p n c h 5 9 k e m u; up, down: 1-2 of 3$' "a small screen is not told"
screen | grep -Eq '^ {4}PID PROGRAM {38}CALLS/s' && fail "the width is not 110"
shows '^ {4}PID PROGRAM {37}CALLS/s' "the new width is not used"
keys Down
shows ' up, down: 2-3 of 3$' "it does not scroll"
"${terminal[@]}" resize-window -x 80 -y 12
shows 'again or r: reversed' "it does not grow again"

# It leaves the terminal as it was.
keys q
shows '^left with 0' "q does not quit"
for _ in $(seq 40); do [ -s "$folder/after" ] && break; sleep 0.05; done
cmp -s "$folder/before" "$folder/after" || fail "the terminal's modes: $(diff "$folder/before" "$folder/after")"
[ "$("${terminal[@]}" display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ] || fail "the screen or cursor is not as it was"
keys "clear; echo untouched" Enter
shows '^untouched' "no shell"
keys "$command top -d 0.3 $name" Enter
shows '^3 processes' "no second start"
keys C-c
shows 'prompt> $|prompt>$' "^C does not end it"
[ "$("${terminal[@]}" display -p '#{alternate_on} #{cursor_flag}')" = '0 1' ] || fail "^C leaves the screen changed"
screen | grep -q '^untouched' || fail "the old screen is not back: $(screen)"
keys 'echo "status $?"' Enter
shows '^status 130' "^C is no end by a signal"

# What can't be.
expect 1 'top needs a terminal; .pk11cache stat --watch' "$command" top "$name" </dev/null
expect 1 'there is no process, and no socket, called "no-such"' "$command" top no-such
expect 2 '--delay takes seconds' "$command" top -d 0
keys "TERM=unknown-$name $command top $name; echo status \$?" Enter
shows "TERM=unknown-$name is no terminal" "an unknown terminal is not told"
ends
