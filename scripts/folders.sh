#!/bin/sh
# Whether every file of src/ includes only what its folder may use: a folder uses itself and the folders that
# docs/ARCHITECTURE.md lists before it. The order is read from that list, so that there is one. A folder that
# is not listed belongs to the one above it.
#
#   scripts/folders.sh      prints each include that looks the wrong way; the exit status is 0 if there is none
set -eu
cd "$(dirname "$0")/.."
find src -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | xargs awk '
    # The listed folder that holds a path, by the longest name that fits; "" if none does.
    function folder_of(path,    at) {
        for (at = path; at ~ /\//;) {
            sub(/\/[^\/]*$/, "", at)
            if (at in place) return at
        }
        return ""
    }
    BEGIN {
        while ((getline line < "docs/ARCHITECTURE.md") > 0)
            if (match(line, /^    src\/[a-z0-9_\/]+\/ /)) {
                name = substr(line, RSTART + 8, RLENGTH - 10)
                place[name] = ++count
            }
        if (!count) { print "docs/ARCHITECTURE.md lists no folders of src/"; bad = 1 }
    }
    FNR == 1 {
        path = substr(FILENAME, 5)
        own = folder_of(path)
        if (own == "") { print FILENAME ": its folder is not in the list of docs/ARCHITECTURE.md"; bad = 1 }
    }
    /^[ \t]*#[ \t]*include[ \t]+"/ {
        split($0, part, "\"")
        used = folder_of(part[2])
        if (used != "" && own != "" && place[used] > place[own]) {
            print FILENAME ":" FNR ": includes " part[2] ", but " used "/ comes after " own "/"
            bad = 1
        }
    }
    END { exit bad }'
