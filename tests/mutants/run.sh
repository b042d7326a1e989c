#!/bin/sh
# Hunts for PTX about which Warpbeam and ptxas disagree, for as long as you like. Needs CUDA 13.0's ptxas in PATH.
#
#   tests/mutants/run.sh [HOURS] [BUILD]     default: 1 hour, build/dev
#
# Mutants are numbered; every round takes the next 100,000 (about two minutes on one core). Each line of the
# output is one mutant: TAKEN (though ptxas refuses it), REFUSED (though ptxas takes it) or UNKNOWN (it takes it, we
# do not execute it), the text, what ptxas said, what Warpbeam said. The same numbers give the same mutants again.
#
#   test_mutants --hunt FIRST COUNT      one round by hand
#   test_mutants --seeds                 the instructions that mutants are made of
#   test_mutants --ask <lines            lines of your own, in the registers of frame.c
#   test_mutants --record FIRST COUNT    lines for verdicts.txt: one for each instruction and reason
set -eu
hours=${1:-1}
build=${2:-build/dev}
cd "$(dirname "$0")/../.."
command -v ptxas >/dev/null || { echo "ptxas is not in PATH: there is nobody to judge" >&2; exit 1; }
first=1000000
end=$(($(date +%s) + hours * 3600))
mkdir -p "$build/mutants"
while [ "$(date +%s)" -lt "$end" ]; do
    "$build/tests/test_mutants" --hunt "$first" 100000 >"$build/mutants/$first.txt"
    echo "   mutants $first and on: $build/mutants/$first.txt"
    first=$((first + 100000))
done
