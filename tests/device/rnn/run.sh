#!/usr/bin/env bash
# Builds libwarpbeam_rnn and runs its tests on this machine's GPU. Needs cc and nvcc. With torch in python3
# the Python modules are tested beside cuDNN as well; compute-sanitizer checks small shapes where it can run.
#
#   tests/device/rnn/run.sh [OUT]     OUT is a folder for what is built (build/rnn)
#
# SKIP="sanitizer torch" leaves parts out. CASES is how many cases the groups sizes and random have at
# most (100). The last line is "N passed, M failed"; the exit status is 0 only when nothing failed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=${1:-build/rnn}
passed=0
failed=0
"${BASH:-bash}" rnn/build.sh "$out"
out=$(cd "$out" && pwd)
${CC:-cc} -std=gnu17 -O2 -Wall -Wextra -I rnn tests/device/rnn/*.c "$out/libwarpbeam_rnn.a" -o "$out/device" \
    -ldl -lm -lpthread

kernels=()
if [ -f "$out/prepare.cubin" ]; then
    kernels=(--kernels "$out")
    export WARPBEAM_RNN_KERNELS=$out
fi
export WARPBEAM_RNN_LIBRARY=$out/libwarpbeam_rnn.so

# count NAME COMMAND...: runs it and adds the counts of its last line to the sums. What fails without a count
# is one failure.
count() {
    local name=$1 log status=0 counts
    shift
    echo "== $name"
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=$?
    counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
    rm -f "$log"
    counts=${counts:-0 0}
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
    if [ "$status" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
        echo "$name ended with status $status"
        failed=$((failed + 1))
    fi
}

skips() { case " ${SKIP-} " in *" $1 "*) return 0 ;; *) return 1 ;; esac }

# Each in a process of its own: after a bad access a process has no GPU any more.
for group in $("$out/device" --groups); do
    count "$group" timeout "${GROUP_SECONDS:-150}" "$out/device" "${kernels[@]}" --only "$group" \
        --cases "${CASES:-100}"
done
if ! skips torch && python3 -c 'import torch' 2>/dev/null; then
    count torch env PYTHONDONTWRITEBYTECODE=1 python3 tests/device/rnn/test_torch.py
else
    echo "== torch: left out"
fi

# A tool that slows kernels down makes waits longer.
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
if skips sanitizer || [ -z "$sanitizer" ]; then
    echo "== compute-sanitizer: left out"
else
    for tool in memcheck racecheck; do
        count "compute-sanitizer $tool" timeout "${SANITIZER_SECONDS:-300}" "$sanitizer" --tool $tool \
            --error-exitcode 9 "$out/device" "${kernels[@]}" --small --watchdog 60000
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
