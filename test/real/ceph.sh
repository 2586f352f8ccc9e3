#!/bin/bash
# ceph.sh BUILD: Ceph of bullseye, all daemons preloaded with the library as it was built here. Objects with customer keys that bare radosgw wrote
# are read by a preloaded one, and the reverse, every byte compared; mon and osd have nothing to cache and come to no harm.
build=$1 here=$(cd "$(dirname "$0")" && pwd) failed=0
root=${PK11CACHE_CEPH_ROOT:-$build/ceph-root}
cluster() { "$here/ceph-cluster" "$root" "$@"; }
client() { python3 "$here/s3_client.py" "$@" || { echo "FAILED: $*"; failed=1; }; }
complain() { echo "FAILED: $*"; failed=1; }
"$here/../../tools/install-packages" debootstrap curl python3 jq || exit 1
if curl -s -o /dev/null http://127.0.0.1:7480/; then echo "something listens on 127.0.0.1:7480 already"; exit 1; fi
trap 'cluster stop' EXIT
sizes="1 4096 65536 65636 4194304"
write_all() { # a name for them
    for size in $sizes; do client put bucket "$1$size" "$size"; done
    client multipart bucket "$1multi" 12582912 5242880
}
read_all() {
    for size in $sizes; do client get bucket "$1$size" "$size"; done
    client get bucket "$1multi" 12582912
    for span in 0-0 15-16 4095-4096 5000-70000 4194303-4194303; do client get bucket "${1}4194304" 4194304 $span; done
    for span in 5242870-5242890 100-12582911; do client get bucket "${1}multi" 12582912 $span; done
}
begin=$SECONDS
cluster prepare || { echo "no chroot"; exit 1; }
echo "chroot: $((SECONDS - begin)) s"
cluster create && cluster start || exit 1
client bucket bucket
write_all bare
read_all bare
bare_health=$(cluster health)
cluster stop
cluster start "$build/libpk11cache.so" || exit 1
for name in ceph-mon ceph-mgr ceph-osd radosgw; do
    pid=$(cat "$root/srv/pk11cache/run/$(case $name in ceph-mon) echo mon.a ;; ceph-mgr) echo mgr.a ;; ceph-osd) echo osd.0 ;; *) echo client.rgw.a ;; esac).pid")
    grep -q libpk11cache.so "/proc/$pid/maps" || complain "$name is not preloaded"
done
read_all bare
write_all preloaded
read_all preloaded
client many put bucket 32 4194304 8
client many get bucket 32 4194304 8
health=$(cluster health)
[ "$health" = "$bare_health" ] || complain "health: bare \"$bare_health\", preloaded \"$health\""
stat=$("$build/pk11cache" stat --json "$pid") || complain "no answer of radosgw's socket"
echo "$stat" | jq -r '.counters | "radosgw: calls \(.calls), hits \(.hits), misses \(.misses), bypasses \(.bypasses), verified \(.verify_checks), mismatches \(.verify_mismatches)"'
echo "$stat" | jq -e '.nss_version as $v | ($v | startswith("3.61")) and (.counters | .calls > 100000 and .hits >= 0.99 * .calls and .verify_mismatches == 0 and .verify_checks > 100 and .stale_handles == 0)' >/dev/null || complain "radosgw's counters"
cluster stop
for program in ceph-mon ceph-osd; do
    awk -v program=$program '$1 == "program" { mine = $2 == program } mine && $1 == "calls" { found = 1; calls += $2 } END { exit !(found && calls == 0) }' "$root/srv/pk11cache/report" ||
        complain "$program: no report, or it made cached calls"
done
grep -hiE 'caught signal|segfault|assert' "$root"/srv/pk11cache/*.log && complain "a log has something new"
cluster start || exit 1
read_all preloaded
client many get bucket 32 4194304 8
cluster stop
echo "whole test: $((SECONDS - begin)) s"
exit $failed
