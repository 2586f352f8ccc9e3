#!/bin/sh
# test-order.sh HOST LIBRARY: what the settings "constructor" and "static_object" run is initialised before the preloaded library.
order=$(LD_DEBUG=files LD_PRELOAD="$2" "$1" early hammer 2>&1 >/dev/null | sed -n 's/.*calling init: .*\/\(lib[a-z0-9_]*\)\.so.*/\1/p')
early=$(echo "$order" | grep -nx libsnippet_early | cut -d: -f1)
ours=$(echo "$order" | grep -nx libpk11cache | cut -d: -f1)
[ -n "$early" ] && [ -n "$ours" ] && [ "$early" -lt "$ours" ] || { echo "the order: $order"; exit 1; }
echo "number $early comes before number $ours"
