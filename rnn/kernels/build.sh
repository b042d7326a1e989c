#!/usr/bin/env bash
# Compiles the kernels anew. The PTX of each module is kept in the repository: only who changes a kernel needs
# this.
#
#   build.sh [MODULE...]                   MODULE.ptx, which any GPU from sm_80 on and the simulator run
#                                          MODULE_hardware.ptx in workloads/rnn: the same with events of the
#                                          simulated GPU in place of flags, which nothing else runs
#   build.sh --ptx FOLDER [MODULE...]      the same, but all of it in FOLDER: what is kept stays as it is
#   build.sh --cubin FOLDER [MODULE...]    FOLDER/MODULE.cubin for sm_90: machine code, for options.kernels
#
# Names of files become relative to this folder, those of the toolkit's headers cuda/NAME, and those of static
# functions lose what stands for the folder: the PTX then does not depend on where it was made. It says version
# 8.3, so that drivers since CUDA 12.3 take it; ptxas says whether it uses anything newer. Needs nvcc 13 (NVCC, or
# that of the PATH or of /usr/local/cuda).
set -euo pipefail
format=ptx
folder=
if [ "${1-}" = --cubin ] || [ "${1-}" = --ptx ]; then
    format=${1#--}
    mkdir -p "$2"
    folder=$(cd "$2" && pwd)
    shift 2
fi
cd "$(dirname "$0")"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
ptxas=${PTXAS:-$(dirname "$nvcc")/ptxas}
flags=(-std=c++17 -O3 -I ../../include)

# Every module: its name, its source, and what it is compiled with.
modules="
prepare     prepare.cu
product     product.cu
wait_basic  wait.cu     -DCELL_BASIC
wait_lstm   wait.cu     -DCELL_LSTM
wait_gru    wait.cu     -DCELL_GRU
wait_phased wait.cu     -DCELL_PHASED
wait_memory memory.cu
wait_basic_hardware  wait.cu -DCELL_BASIC -DWBRNN_HARDWARE
wait_lstm_hardware   wait.cu -DCELL_LSTM -DWBRNN_HARDWARE
wait_gru_hardware    wait.cu -DCELL_GRU -DWBRNN_HARDWARE
wait_phased_hardware wait.cu -DCELL_PHASED -DWBRNN_HARDWARE
wait_memory_hardware memory.cu -DWBRNN_HARDWARE
product_fp16 product_half.cu
product_bf16 product_half.cu -DWBRNN_BF16
wait_fp16_basic wait_half.cu -DCELL_BASIC
wait_fp16_lstm wait_half.cu -DCELL_LSTM
wait_fp16_gru wait_half.cu -DCELL_GRU
wait_fp16_phased wait_half.cu -DCELL_PHASED
wait_bf16_basic wait_half.cu -DWBRNN_BF16 -DCELL_BASIC
wait_bf16_lstm wait_half.cu -DWBRNN_BF16 -DCELL_LSTM
wait_bf16_gru wait_half.cu -DWBRNN_BF16 -DCELL_GRU
wait_bf16_phased wait_half.cu -DWBRNN_BF16 -DCELL_PHASED
persistent_basic  persistent.cu -DCELL_BASIC
persistent_lstm   persistent.cu -DCELL_LSTM
persistent_gru    persistent.cu -DCELL_GRU
persistent_phased persistent.cu -DCELL_PHASED
wait_fp16_memory memory_half.cu
wait_bf16_memory memory_half.cu -DWBRNN_BF16
stream_basic  stream.cu -DCELL_BASIC
stream_lstm   stream.cu -DCELL_LSTM
stream_gru    stream.cu -DCELL_GRU
stream_phased stream.cu -DCELL_PHASED
persistent_fp16 persistent_half.cu
persistent_bf16 persistent_half.cu -DWBRNN_BF16
stream_fp16 stream_half.cu
stream_bf16 stream_half.cu -DWBRNN_BF16
"

compile_ptx() { # PTX SOURCE FLAG...
    local made
    made=$(mktemp)
    "$nvcc" "${flags[@]}" -arch=compute_80 -ptx "${@:2}" -o "$made"
    sed -E -e "s#^(\s*\.file\s+[0-9]+ \")$PWD/#\1#" \
        -e 's#^(\s*\.file\s+[0-9]+ ")/[^"]*/include/([^"]+")#\1cuda/\2#' \
        -e 's#(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_([0-9]+_[a-z_]+_cu)_[0-9a-f]{8}#\100000000_\2_00000000#g' \
        -e 's#^\.version .*#.version 8.3#' "$made" >"$1"
    rm "$made"
    "$ptxas" -c -arch=sm_90 "$1" -o /dev/null # -c: what the simulated GPU answers is defined nowhere
    if grep -nE '\.file\s+[0-9]+ "/' "$1"; then
        echo "$1: the path above is one of this machine; compile_ptx in $0 has to know it." >&2
        exit 1
    fi
}

compile() { # MODULE SOURCE FLAG...
    local kept=.
    case $1 in *_hardware) kept=../../workloads/rnn ;; esac
    if [ "$format" = ptx ]; then
        compile_ptx "${folder:-$kept}/$1.ptx" "${@:2}"
    elif [ "$kept" = . ]; then
        "$nvcc" "${flags[@]}" -arch=sm_90 -cubin "${@:2}" -o "$folder/$1.cubin"
    fi
}

while read -r module source options; do
    wanted=$([ $# -eq 0 ] && echo yes || :)
    for name; do
        [ "$name" != "$module" ] || wanted=yes
    done
    # shellcheck disable=SC2086 # options are several words
    [ -z "$module" ] || [ -z "$wanted" ] || compile "$module" "$source" $options
done <<<"$modules"
