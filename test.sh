#!/bin/sh
# Builds Warpbeam and runs all tests: optimized, then under the address and undefined-behaviour
# sanitizers, then what uses threads under the thread sanitizer, then the HTML report in a browser, then the
# fuzzers with their saved corpus.
# Installs missing packages on Debian and Ubuntu.
# The last line is "N passed, M failed"; the exit status is 0 only when nothing failed.
#
#   WARPBEAM_FUZZ_SECONDS   how long the fuzzers run, all at once (15; 0 leaves them out)
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

fuzz_seconds=${WARPBEAM_FUZZ_SECONDS:-15}
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

# look_at_report: in Chromium, which counts as one test.
look_at_report() {
    if ! has_browser; then
        tail -n 3 build/other-packages.log
        echo "Node or Chromium is missing and could not be installed: the report is not looked at in a browser"
    elif timeout 120 node web/test/test.mjs build/release/bin/warpbeam >build/browser.log 2>&1; then
        tail -n 1 build/browser.log
        passed=$((passed + 1))
    else
        tail -n 60 build/browser.log
        failed=$((failed + 1))
    fi
}

# run_fuzzers: all at once; each counts as one test.
run_fuzzers() {
    log=build/fuzzers.log
    scripts/fuzz.sh "$fuzz_seconds" >"$log" 2>&1 || true
    cat "$log"
    counts=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
    counts=${counts:-0 1} # it did not come to its end
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}

mkdir -p build
# shellcheck disable=SC2086
install_build_packages $mpi_packages || install_build_packages
# The browser's packages are large: they come while all else is built and tested.
{ install_packages zsh || true; install_browser; } >build/other-packages.log 2>&1 &
other_packages=$!
configure_and_build release "-DWARPBEAM_WERROR=${WARPBEAM_WERROR:-OFF}"
run_tests release
configure_and_build asan -DWARPBEAM_BENCH=OFF
run_tests asan
# The thread sanitizer looks at what runs on several threads; only that is built for it.
configure_and_build tsan "" test_world test_team test_cycle test_report test_timeline test_device_sync test_graph_cycle test_global_sync
run_tests tsan
echo "== looking at the report in a browser"
wait "$other_packages" || true
look_at_report

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
