#!/usr/bin/env bash
# Builds libwarpbeam_rnn alone, for a machine that has a GPU and none of what the simulator needs.
#
#   rnn/build.sh OUT      OUT/libwarpbeam_rnn.so and .a with the kernels' PTX in them and, with nvcc,
#                         OUT/MODULE.cubin: machine code for sm_90 (options.kernels = OUT takes it)
#
# CC is the compiler (cc), NVCC that of kernels. NVCC=none leaves machine code out: the driver then compiles
# PTX when a network is created, which takes a while. JOBS modules are compiled at a time (one a processor).
set -euo pipefail
if [ $# -ne 1 ]; then
    echo "usage: $0 OUT" >&2
    exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
root=$PWD
nvcc=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || echo none)}

# Kernels that only a simulated GPU can run have no machine code.
if [ "$nvcc" != none ]; then
    for ptx in kernels/*.ptx; do
        module=$(basename "$ptx" .ptx)
        case $module in *_hardware) ;; *) echo "$module" ;; esac
    done | NVCC=$nvcc xargs -P "${JOBS:-$(nproc)}" -I{} kernels/build.sh --cubin "$out" {}
fi

{
    echo '/* The PTX of rnn/kernels. */'
    echo '#include "images.h"'
    echo '#pragma GCC visibility push(hidden)'
    for ptx in kernels/*.ptx; do
        symbol=rnn_image_$(basename "$ptx" .ptx)
        echo "extern const char ${symbol}[], ${symbol}_end[];"
        printf '__asm__(".pushsection .rodata\\n.balign 16\\n%s:\\n"\n' "$symbol"
        printf '        ".incbin \\"%s\\"\\n"\n' "$root/$ptx"
        printf '        ".byte 0\\n%s_end:\\n.popsection\\n");\n' "$symbol"
    done
    echo '#pragma GCC visibility pop'
    echo 'const RnnImage rnn_images[] = {'
    for ptx in kernels/*.ptx; do
        module=$(basename "$ptx" .ptx)
        echo "    {\"$module\", 0, rnn_image_$module, rnn_image_${module}_end},"
    done
    echo '};'
    echo 'const size_t rnn_image_count = sizeof rnn_images / sizeof *rnn_images;'
} >"$out/rnn_images.c"

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
for source in *.c "$out/rnn_images.c"; do
    object=$objects/$(basename "$source" .c).o
    ${CC:-cc} -std=gnu17 -O2 -fPIC -fvisibility=hidden -I . -c "$source" -o "$object"
done
rm -f "$out/libwarpbeam_rnn.a"
ar rcs "$out/libwarpbeam_rnn.a" "$objects"/*.o
${CC:-cc} -shared "$objects"/*.o -o "$out/libwarpbeam_rnn.so" -ldl -lm -lpthread
echo "$out/libwarpbeam_rnn.so"
