#!/bin/sh
# Builds the programs of this folder and runs them: run.sh [--simulated BUILD] [NAME ...].
#
# Without --simulated they run on this machine's GPU with the real CUDA libraries, to show that the programs
# themselves are right. With it they run on the simulated GPU, without timing and with it; BUILD is where
# Warpbeam was built. A comment of NAME.cu, // gpus: ..., names the GPUs to simulate; else it is h200. Another
# one, // devices: N, says how many there are at once; else it is one.
# Ends with 77 where nvcc is missing.
#
#   NVCC               the compiler (nvcc of the PATH, or of /usr/local/cuda)
#   CUDA_TEST_BUILD    where the programs are built (build/cuda of the repository)
#   CUDA_TEST_JOBS     how many are built at once (all processors)
#   CUDA_TEST_SECONDS  how long each may run (60)
#   WARPBEAM_GPU       the one GPU to simulate
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
simulated=""
if [ "${1:-}" = --simulated ]; then
    simulated=$(cd "$2" && pwd)
    shift 2
fi
nvcc=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc) || {
    echo "The CUDA programs of tests/cuda are left out: nvcc, which builds them, is not installed."
    exit 77
}
export NVCC="$nvcc"
build=${CUDA_TEST_BUILD:-$folder/../../build/cuda}
mkdir -p "$build"
build=$(cd "$build" && pwd)
cd "$folder"
if [ $# -eq 0 ]; then
    for source in *.cu; do
        set -- "$@" "${source%.cu}"
    done
fi

printf '%s\n' "$@" | xargs -P "${CUDA_TEST_JOBS:-$(nproc)}" -I NAME ./build.sh NAME "$build/NAME" || true

passed=0
failed=0

# run NAME HOW: counts it, and shows what a program that fails wrote.
run() {
    begin=$(date +%s%N)
    status=0
    # By its full path, for modules that lie beside it.
    timeout "${CUDA_TEST_SECONDS:-60}" "$build/$1" >"$build/$1.out" 2>"$build/$1.err" || status=$?
    milliseconds=$((($(date +%s%N) - begin) / 1000000))
    if [ "$status" -eq 0 ] && [ "$(tail -n 1 "$build/$1.out")" = PASS ]; then
        passed=$((passed + 1))
        printf '%-28s %-11s ok %6d ms\n' "$1" "$2" "$milliseconds"
    else
        failed=$((failed + 1))
        printf '%-28s %-11s FAILED (exit status %d) %6d ms\n' "$1" "$2" "$status" "$milliseconds"
        tail -n 15 "$build/$1.out" | sed 's/^/    /'
        tail -n 10 "$build/$1.err" | sed 's/^/    stderr: /'
    fi
}

toolkit=$(dirname "$nvcc")/..
unset WARPBEAM_FUNCTIONAL
if [ -n "$simulated" ]; then
    export LD_LIBRARY_PATH="$simulated/lib"
    asked=${WARPBEAM_GPU:-}
    for name in "$@"; do
        gpus=$(sed -n 's#^// gpus: ##p' "$name.cu")
        WARPBEAM_GPUS=$(sed -n 's#^// devices: ##p' "$name.cu")
        export WARPBEAM_GPUS
        for WARPBEAM_GPU in ${asked:-${gpus:-h200}}; do
            export WARPBEAM_GPU
            WARPBEAM_FUNCTIONAL=1
            export WARPBEAM_FUNCTIONAL
            run "$name" functional
            unset WARPBEAM_FUNCTIONAL
            run "$name" timed
        done
    done
else
    unset WARPBEAM_GPU
    export LD_LIBRARY_PATH="$toolkit/lib64:$toolkit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    for name in "$@"; do
        run "$name" native
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
