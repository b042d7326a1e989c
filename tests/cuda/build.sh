#!/bin/sh
# Builds one program of this folder, unless it is up to date: build.sh NAME OUTPUT. Needs nvcc (NVCC,
# the PATH, or /usr/local/cuda).
#
# Comments of NAME.cu say what is special about it:
#   // nvcc: ...     more flags and source files, relative to this folder
#   // library: FILE compiled to OUTPUT.so as well, with the static runtime in it
#   // fatbin: FILE  compiled to OUTPUT.fatbin and OUTPUT.ptx as well, for programs that load modules
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc

name=$1 output=$2
if [ -x "$output" ] && [ -z "$(find "$name.cu" ./*.h build.sh parts -type f -newer "$output")" ]; then
    exit 0
fi
flags=$(sed -n 's#^// nvcc: ##p' "$name.cu")
library=$(sed -n 's#^// library: ##p' "$name.cu")
module=$(sed -n 's#^// fatbin: ##p' "$name.cu")
# PTX only: that is what a simulator can run, and what a GPU's driver compiles for itself.
ptx="-gencode arch=compute_75,code=compute_75"
case $flags in *-gencode*) target="" ;; *) target=$ptx ;; esac
case $flags in *-cudart*) runtime="" ;; *) runtime="-cudart shared" ;; esac
# shellcheck disable=SC2086
{
    "$nvcc" $runtime $target $flags -diag-suppress 177,550 "$name.cu" -o "$output"
    if [ -n "$library" ]; then
        "$nvcc" -cudart static $ptx -Xcompiler -fPIC -shared "$library" -o "$output.so"
    fi
    if [ -n "$module" ]; then
        "$nvcc" $ptx -fatbin "$module" -o "$output.fatbin"
        "$nvcc" $ptx -ptx "$module" -o "$output.ptx"
    fi
}
