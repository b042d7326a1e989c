#!/bin/sh
# Runs the fuzzers of tests/fuzz (tests/fuzz/README.md says what each one tries), for seconds or for hours.
#
#   scripts/fuzz.sh [SECONDS [NAME...]]     all, or those named, side by side; each for SECONDS (15)
#
# fuzz_*.c are built with libFuzzer under the sanitizers; needs clang. fuzz_*.sh are run as they are, with the
# seconds as their argument and the folder for what they find as their second one; a script that cannot run here
# says why on its last line and ends with 77. What a fuzzer has found to fail lies in build/fuzz/found, and what
# it has learned in build/fuzz/corpus-NAME, from where the next run goes on.
# The last line is "N passed, M failed"; the exit status is 0 only when nothing failed.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh

seconds=${1:-15}
case $seconds in '' | *[!0-9]*) echo "usage: scripts/fuzz.sh [SECONDS [NAME...]]" >&2; exit 2 ;; esac
[ $# -eq 0 ] || shift
found=build/fuzz/found
passed=0
failed=0

# wanted NAME NAMES...: whether the name is among them; all are, where none is given.
wanted() {
    name=$1
    shift
    [ $# -gt 0 ] || return 0
    for one in "$@"; do
        [ "$one" != "$name" ] || return 0
    done
    return 1
}

# fuzz PATH: one of them.
fuzz() {
    name=$(basename "$1" .sh)
    case $1 in
    *.sh) "$1" "$seconds" "$found" ;;
    *)
        mkdir -p "build/fuzz/corpus-$name"
        seeds=tests/fuzz/corpus-$name
        [ -d "$seeds" ] || seeds=tests/fuzz/corpus
        "$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$found/$name-" "build/fuzz/corpus-$name" "$seeds" ;;
    esac >"build/$name.log" 2>&1
}

# tell NAME STATUS
tell() {
    log=build/$1.log
    units=$(sed -n 's/^stat::number_of_executed_units: *\(.*\)/\1 inputs/p' "$log")
    case $2 in
    0) echo "   $1: ${units:-$(tail -n 1 "$log")}"; passed=$((passed + 1)) ;;
    77) echo "   $1 is left out: $(tail -n 1 "$log")" ;;
    *) tail -n 60 "$log"; echo "   $1 failed"; failed=$((failed + 1)) ;;
    esac
}

mkdir -p build
configure_and_build fuzz "" fuzzers
mkdir -p "$found"
echo "== fuzzing for $seconds s"
running=""
for fuzzer in build/fuzz/fuzz/fuzz_* tests/fuzz/fuzz_*.sh; do
    if [ -x "$fuzzer" ] && wanted "$(basename "$fuzzer" .sh)" "$@"; then
        fuzz "$fuzzer" &
        running="$running $(basename "$fuzzer" .sh):$!"
    fi
done
for fuzzer in $running; do
    status=0
    wait "${fuzzer#*:}" || status=$?
    tell "${fuzzer%:*}" "$status"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
