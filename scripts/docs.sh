#!/bin/sh
# Writes the parts of docs/ that come from tables again: run it when a knob, counter or option has changed.
#
#   scripts/docs.sh [path of warpbeam]      build/dev/bin/warpbeam unless given
set -eu
cd "$(dirname "$0")/.."
warpbeam=${1:-build/dev/bin/warpbeam}
page=$(mktemp)
trap 'rm -f "$page"' EXIT
sed '/^Below is the output of `warpbeam list statistics --markdown`/q' docs/STATISTICS.md > "$page"
"$warpbeam" list statistics --markdown >> "$page"
cat "$page" > docs/STATISTICS.md
"$warpbeam" list schema > docs/report.schema.json
"$warpbeam" help --man > docs/warpbeam.1
