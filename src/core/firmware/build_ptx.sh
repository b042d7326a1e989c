#!/usr/bin/env bash
# Compiles the aggregator's policies anew, or those that are named, with clang 14 (CLANG): build_ptx.sh [NAME...].
# The PTX beside each source is kept in the repository, and the library has it inside: only who changes a
# policy, or include/warpbeam_aggregator.h, needs this. OUT: where it goes instead.
#
# What the source says of its policy in lines `// policy:` and `// source:` stands at the head of the PTX, where
# `warpbeam list policies` finds it.
set -euo pipefail
cd "$(dirname "$0")"
clang=${CLANG:-clang}
out=${OUT:-.}
if [ $# -eq 0 ]; then
    set -- *.cu
fi
for name; do
    name=${name%.cu}
    made=$(mktemp)
    "$clang" -x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib \
        -Xclang -target-feature -Xclang +ptx72 -O2 -S -Wall -Wextra -Werror -I ../../../include "$name.cu" -o "$made"
    { grep -E '^// (policy|source): ' "$name.cu" && sed '/^\/\/$/d' "$made"; } >"$out/$name.ptx"
    rm "$made"
done
