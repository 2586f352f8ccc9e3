#!/bin/sh
# test-readme.sh BUILD README: the table of options in the README is the one that the list gives.
"$1/pk11cache" options --markdown | while IFS= read -r line; do
    grep -qxF -- "$line" "$2" || { echo "README lacks: $line"; exit 1; }
done
