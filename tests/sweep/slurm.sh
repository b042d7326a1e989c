#!/bin/bash
# A sweep as an array of jobs on a Slurm of one node, which cluster.sh sets up, with tasks that are killed and
# cancelled: every run ends exactly once.
#
#   tests/sweep/slurm.sh [WARPBEAM]      the exit status is 77 where there is no Slurm
set -eu
here=$(dirname "$(realpath "$0")")
if [ "${SWEEP_IN_CLUSTER:-}" = "" ]; then
    SWEEP_IN_CLUSTER=yes exec "$here/cluster.sh" "$0" "$@"
fi
warpbeam=$(realpath "${1:-$here/../../build/release/bin/warpbeam}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
runs=24
printf 'gpus: gtx480\nfunctional: true\nworkloads: demo/saxpy\nknobs:\n  seed: {from: 1, to: %d}\n' $runs >study.yaml

wrong() {
    echo "$1"
    cat sweep.log
    tail -n 5 study.sqlite.slurm-*.log
    exit 1
}
count() { "$warpbeam" sweep study.yaml --csv --columns run --where "$1" --where "$2" | tail -n +2 | wc -l; }

timeout 60 "$warpbeam" sweep study.yaml --slurm --processes 2 >sweep.log 2>&1 &
sweeping=$!
for _ in $(seq 200); do
    [ -e study.sqlite ] && [ "$(count status=done ends=1 2>/dev/null || echo 0)" -gt 1 ] && break
    sleep 0.05
done
for worker in $(pgrep -f "sweep $folder/study.sqlite --worker"); do
    kill -9 "$worker" 2>/dev/null || true # with its run, in the middle of it
done
wait $sweeping || wrong "the sweep failed"
[ "$(count status=done ends=1)" -eq $runs ] || wrong "not every run ended exactly once"
[ "$(count 'attempts>1' ends=1)" -ge 1 ] || echo "no worker was killed within a run"

# Cancelled by Slurm: the sweep submits others.
sed -i "s/to: $runs/to: $((2 * runs))/" study.yaml
timeout 60 "$warpbeam" sweep study.yaml --slurm --processes 2 --slurm-option=--partition=main >sweep.log 2>&1 &
sweeping=$!
for _ in $(seq 200); do
    [ "$(count status=done ends=1)" -gt $((runs + 1)) ] && break
    sleep 0.05
done
scancel --user=root
wait $sweeping || wrong "the sweep failed after scancel"
[ "$(count status=done ends=1)" -eq $((2 * runs)) ] || wrong "not every run ended exactly once after scancel"
echo "$((2 * runs)) runs on Slurm ended exactly once"
