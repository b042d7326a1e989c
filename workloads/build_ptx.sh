#!/usr/bin/env bash
# Compiles the kernels of all workloads anew, or of the folders that are named: build_ptx.sh [FOLDER...].
# The PTX beside each source is kept in the repository: only who changes a kernel needs this.
#
# -lineinfo gives instructions their lines, which reports show. Names of files become relative to the folder,
# and those of the toolkit's headers cuda/NAME: the PTX then does not depend on where it was made.
# Needs nvcc 13 (NVCC, or that of the PATH or of /usr/local/cuda); the demo's kernels need clang 14 (CLANG).
set -euo pipefail
shopt -s nullglob # a suite may have no kernels of its own
cd "$(dirname "$0")"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
clang=${CLANG:-clang}

make_relative() {
    sed -E -e "s#^(\s*\.file\s+[0-9]+ \")$PWD/#\1#" \
        -e 's#^(\s*\.file\s+[0-9]+ ")/[^"]*/include/([^"]+")#\1cuda/\2#' "$1"
}

# clang names no files and does not say where what it took in from headers was called: of all its debugging
# information, lines of the source itself stay.
keep_own_lines() {
    sed -E -e '/^\s*\.section\s+\.debug_/,/^\s*\}/d' -e '/^L(tmp|func_begin|func_end)[0-9]+:$/d' \
        -e '/^\s*\.loc\s+([2-9]|1[0-9])/d' "$1"
    printf '\t.file\t1 "%s"\n' "$2"
}

compile() {
    local name=$1 made
    shift
    made=$(mktemp)
    "$@" "$name.cu" -o "$made"
    if [ "$1" = "$clang" ]; then
        keep_own_lines "$made" "$name.cu"
    else
        make_relative "$made"
    fi >"$name.ptx"
    rm "$made"
    if grep -nE '\.file\s+[0-9]+ "/' "$name.ptx"; then
        echo "$PWD/$name.ptx: the path above is one of this machine; make_relative in $0 has to know it." >&2
        exit 1
    fi
}

[ $# -gt 0 ] || set -- channels claso correlation demo dtbl launch micro multi polybench saws six suite sync together wireframe
for folder; do
    cd "$folder"
    case $folder in
    demo) flags=(-x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc
        -nocudalib -Xclang -target-feature -Xclang +ptx72 -O2 -gline-tables-only -S -I ../../include) ;;
    correlation | six) flags=(-O3 -arch=sm_75 -lineinfo -ptx) ;;
    launch | micro | polybench | suite) flags=(-O3 -arch=sm_90 -lineinfo -ptx) ;;
    *) flags=(-std=c++17 -arch=compute_75 -lineinfo -ptx -I ../../include) ;;
    esac
    compiler=$nvcc
    [ "$folder" = demo ] && compiler=$clang
    for source in *.cu; do
        target=("${flags[@]}")
        if [ "$source" = older.cu ]; then
            target=(-O3 -arch=sm_75 -lineinfo -ptx) # the oldest that nvcc 13 knows
        fi
        compile "${source%.cu}" "$compiler" "${target[@]}"
    done
    cd ..
done
