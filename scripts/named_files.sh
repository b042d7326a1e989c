#!/bin/sh
# Whether docs/ARCHITECTURE.md is true to the files: every file that it names is there, and each picture of a
# way ("A load's way") goes through at most 20 files. And no page has marks of a merge.
#
#   scripts/named_files.sh  prints what is wrong; the exit status is 0 if nothing is
set -eu
cd "$(dirname "$0")/.."
if grep -nE '^(<<<<<<<|>>>>>>>) ' README.md CONTRIBUTING.md docs/*.md papers/*.md bench/*/*.md; then
    echo "These lines are marks of a merge"
    exit 1
fi
find src include rnn papers tests examples -name '*.[ch]' -o -name '*.def' | awk '
    # Every end of a path may stand for it.
    { for (name = $0; ; sub(/^[^\/]*\//, "", name)) { there[name] = 1; if (name !~ /\//) break } }
    END {
        page = "docs/ARCHITECTURE.md"
        while ((getline line < page) > 0) {
            if (line ~ /^## /)
                way = line ~ / way$/ ? substr(line, 4) : ""
            while (match(line, /[a-z0-9_\/-]*[a-z0-9_]\.(c|h|def)([^a-z0-9_]|$)/)) {
                name = substr(line, RSTART, RLENGTH)
                is_picture = way != "" && line ~ /^    /
                rest = substr(line, RSTART + RLENGTH)
                sub(/[^a-z]$/, "", name)
                if (!(name in there)) { print page " names " name ", which is not there"; bad = 1 }
                if (is_picture && !((way, name) in seen)) { seen[way, name] = 1; files[way]++ }
                line = (line ~ /^    / ? "    " : "") rest
            }
        }
        for (way in files)
            if (files[way] > 20) { print page ": " way " goes through " files[way] " files"; bad = 1 }
        exit bad
    }'
