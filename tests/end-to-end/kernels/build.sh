#!/bin/sh
# Compiles the kernels of this folder again: ./build.sh [name ...]. Needs nvcc 13 and clang 14; the PTX is
# committed, so that no compiler is needed to run the tests. A variant is <source>.<how>.ptx.
set -e
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
wanted=" $* "

with_nvcc() { # source, variant, flags...
    source=$1 variant=$2
    shift 2
    if [ "$wanted" = "  " ] || [ "${wanted#* $source }" != "$wanted" ]; then
        "$nvcc" -std=c++17 -diag-suppress 20054 "$@" -ptx "$source.cu" -o "$source.$variant.ptx"
        # Where the compiler and this folder were says nothing about the code.
        sed -i "s#^\\(\\t*\\.file.*\"\\)/.*/#\\1#" "$source.$variant.ptx"
    fi
}

with_clang() { # source
    if [ "$wanted" = "  " ] || [ "${wanted#* $1 }" != "$wanted" ]; then
        clang -x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib \
            -Xclang -target-feature -Xclang +ptx72 -std=c++17 -O2 -I../../../include -S "$1.cu" -o "$1.clang.ptx"
    fi
}

with_clang device
with_clang functions
with_clang data
with_clang yields
with_clang channels
for source in functions variables data half warp atomics; do
    with_nvcc $source sm_75 -arch=sm_75
    with_nvcc $source sm_80-debug -arch=sm_80 -G
    with_nvcc $source sm_90-rdc -arch=sm_90 -rdc=true
done
with_nvcc library sm_75 -arch=sm_75
with_nvcc library sm_80 -arch=sm_80
with_nvcc library sm_90-lines -arch=sm_90 -lineinfo
for source in math system assembly barriers; do
    with_nvcc $source sm_75-rdc -arch=sm_75 -rdc=true
    with_nvcc $source sm_90-lines -arch=sm_90 -lineinfo
done
with_nvcc system sm_80-debug -arch=sm_80 -G
with_nvcc runtime sm_75-rdc -arch=sm_75 -rdc=true
with_nvcc runtime sm_90-per-thread -arch=sm_90 -rdc=true -default-stream per-thread
with_nvcc tensor sm_80 -arch=sm_80
with_nvcc tensor sm_90-lines -arch=sm_90 -lineinfo
with_nvcc launches sm_75 -arch=sm_75 -I../../../include
with_nvcc launches sm_90-rdc -arch=sm_90 -rdc=true -I../../../include
with_nvcc families sm_75 -arch=sm_75 -I../../../include
with_nvcc read_only sm_75 -arch=sm_75 -I../../../include
with_nvcc channels sm_75 -arch=sm_75 -I../../../include
with_nvcc system_sync sm_75 -arch=sm_75 -lineinfo -I../../../include
