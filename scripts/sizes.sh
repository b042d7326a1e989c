#!/bin/sh
# Whether sources fit: files of at most 600 lines, functions of at most 49, lines of at most 110 columns; and
# whether every .c and .cu file opens with a comment, which says its idea (CONTRIBUTING.md).
#
#   scripts/sizes.sh      prints what does not; the exit status is 0 if all does
set -eu
cd "$(dirname "$0")/.."
find src rnn -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort | LC_ALL=C xargs awk '
    function tell(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    FNR == 1 && FILENAME ~ /\.cu?$/ && $0 !~ /^\/[*\/]/ { tell("does not open with a comment") }
    FNR == 601 { tell("has more than 600 lines") }
    {
        line = $0
        gsub(/[\200-\277]/, "", line) # bytes of a character behind its first
        if (length(line) > 110) tell("has " length(line) " columns")
    }
    $0 == "{" { begin = FNR }
    $0 == "}" && begin {
        if (FNR - begin - 1 > 49) tell("ends a function of " FNR - begin - 1 " lines")
        begin = 0
    }
    END { exit bad }'
