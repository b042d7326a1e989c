#!/usr/bin/env bash
# Whether the PTX that is kept is what its sources give: compiles modules anew and compares.
#
#   check.sh [MODULE...]     all of them without a name, which takes minutes
#
# The exit status is 77 where there is no nvcc, or one of another release than the PTX was made by: releases
# make different PTX of one source.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! release=$("$nvcc" --version 2>/dev/null | grep '^Cuda compilation tools'); then
    echo "There is no nvcc: nothing is compared."
    exit 77
fi
if ! grep -qF "// $release" prepare.ptx; then
    echo "The PTX was made by another nvcc than $release: nothing is compared."
    exit 77
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
NVCC=$nvcc ./build.sh --ptx "$made" "$@"
status=0
for module; do
    if [ ! -e "$made/$module.ptx" ]; then
        echo "There is no module $module: build.sh has a list of them."
        exit 1
    fi
done
for ptx in "$made"/*.ptx; do
    module=$(basename "$ptx" .ptx)
    kept=$module.ptx
    case $module in *_hardware) kept=../../workloads/rnn/$kept ;; esac
    if ! cmp -s "$ptx" "$kept"; then
        echo "$module.ptx is not what its sources give: run rnn/kernels/build.sh $module."
        status=1
    fi
done
exit $status
