#!/bin/sh
# Builds Warpbeam and runs all tests: optimized, then under the address and undefined-behaviour
# sanitizers, then what uses threads under the thread sanitizer, then the HTML report in a browser, then the
# fuzzers with their saved corpus.
# Installs missing packages on Debian and Ubuntu.
# The last line is "N passed, M failed"; the exit status is 0 only when nothing failed.
#
#   WARPBEAM_FUZZ_SECONDS   how long the fuzzers run together (30; 0 leaves them out)
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

fuzz_seconds=${WARPBEAM_FUZZ_SECONDS:-30}
passed=0
failed=0

# run_tests PRESET: adds ctest's own counts to the sums.
run_tests() {
    echo "== testing preset $1"
    log="build/$1-tests.log"
    ctest --preset "$1" -j2 >"$log" 2>&1 || true
    total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log")
    bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of .*/\1/p' "$log")
    if [ -z "$total" ]; then
        cat "$log"
        echo "ctest of preset $1 did not come to its end"
        failed=$((failed + 1))
        return
    fi
    [ "$bad" -eq 0 ] || cat "$log"
    echo "   $((total - bad)) passed, $bad failed"
    passed=$((passed + total - bad))
    failed=$((failed + bad))
}

# The thread sanitizer looks at what runs on several threads; only that is built for it.
configure_and_build_for_threads() {
    echo "== building preset tsan"
    { cmake --preset tsan &&
        cmake --build --preset tsan --target test_world test_cycle test_report test_timeline \
            test_device_sync; } \
        >build/tsan.log 2>&1 || { tail -n 60 build/tsan.log; return 1; }
}

# run_browser: looking at the report in Chromium counts as one test.
run_browser() {
    wait "$browser_packages" || true
    if ! has_browser; then
        tail -n 3 build/browser-packages.log
        echo "Node or Chromium is missing and could not be installed: the report is not looked at in a browser"
        return 0
    fi
    echo "== looking at the report in a browser"
    if timeout 120 node web/test/test.mjs build/release/bin/warpbeam >build/browser.log 2>&1; then
        tail -n 1 build/browser.log
        passed=$((passed + 1))
    else
        tail -n 60 build/browser.log
        failed=$((failed + 1))
    fi
}

# run_fuzzers: each fuzzer counts as one test.
run_fuzzers() {
    configure_and_build fuzz
    count=$(find build/fuzz/fuzz -type f -perm -u+x 2>/dev/null | wc -l)
    [ "$count" -gt 0 ] || return 0
    for fuzzer in build/fuzz/fuzz/*; do
        name=$(basename "$fuzzer")
        scratch="build/fuzz/corpus-$name"
        mkdir -p "$scratch" "tests/fuzz/corpus"
        echo "== fuzzing with $name for $((fuzz_seconds / count)) s"
        if "$fuzzer" -max_total_time=$((fuzz_seconds / count)) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="build/fuzz/crash-" "$scratch" tests/fuzz/corpus >"build/$name.log" 2>&1; then
            grep -E "number_of_executed_units|average_exec_per_sec" "build/$name.log" || true
            passed=$((passed + 1))
        else
            tail -n 60 "build/$name.log"
            failed=$((failed + 1))
        fi
    done
}

mkdir -p build
install_build_packages
# The browser's packages are large: they come while all else is built and tested.
install_browser >build/browser-packages.log 2>&1 &
browser_packages=$!
configure_and_build release -DWARPBEAM_WERROR="${WARPBEAM_WERROR:-OFF}"
run_tests release
configure_and_build asan -DWARPBEAM_BENCH=OFF
run_tests asan
configure_and_build_for_threads
run_tests tsan
run_browser

if [ "$fuzz_seconds" -gt 0 ]; then
    command -v clang >/dev/null || install_packages clang || true
    # The fuzzer's runtime is a package of its own; before Debian 13 it carries clang's version.
    if apt-cache show libclang-rt-dev >/dev/null 2>&1; then
        install_packages libclang-rt-dev || true
    else
        install_packages libclang-rt-14-dev || true
    fi
    if command -v clang >/dev/null; then
        run_fuzzers
    else
        echo "clang could not be installed: the fuzzers are left out"
    fi
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
