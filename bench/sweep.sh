#!/bin/bash
# What a sweep costs a run, and whether each run ends exactly once when its processes are killed at random.
#
#   bench/sweep.sh [--runs N] [--processes N] [--kills none|workers|all] [--slurm] [WARPBEAM]
#
# Runs are of a few milliseconds, so that what the sweep adds can be seen. Without kills the same runs are done
# once more by `warpbeam run` alone, as many at a time; both take turns, a tenth of the runs each, so that what else
# the machine does slows both. With kills, a worker or a run is killed (SIGKILL) at random several times a second,
# and with `all` now and then the sweep itself, which is then started again.
set -eu
runs=1000 processes=2 kills=none slurm=
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=$2; shift ;;
    --processes) processes=$2; shift ;;
    --kills) kills=$2; shift ;;
    --slurm) slurm=--slurm ;;
    *) break ;;
    esac
    shift
done
warpbeam=$(realpath "${1:-$(dirname "$0")/../build/release/bin/warpbeam}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# The study with runs 1 to $1.
study() {
    printf 'gpus: gtx480\nfunctional: true\nworkloads: demo/saxpy\nknobs:\n  seed: {from: 1, to: %d}\n' "$1" >study.yaml
}
seconds() { echo "${EPOCHREALTIME/,/.}"; }
sweep() { "$warpbeam" sweep study.yaml --processes "$processes" $slurm >/dev/null 2>>sweep.log; }

# Processes of workers on this database, and what they have started; their numbers, in any order.
victims() {
    for worker in $(pgrep -f "sweep $folder/study.sqlite --worker" || true); do
        echo "$worker"
        pgrep -P "$worker" || true
    done
}

kill_some() {
    while kill -0 "$1" 2>/dev/null; do
        sleep 0.0$((RANDOM % 9 + 1))
        if [ "$kills" = all ] && [ $((RANDOM % 60)) -eq 0 ]; then
            kill -9 "$1" 2>/dev/null && echo sweep >>kills || true
            return
        fi
        victim=$(victims | shuf -n 1)
        [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && echo run >>kills || true
    done
}

# Runs $1 to $2 without a sweep, as many at a time.
alone() {
    seq "$1" "$2" | xargs -P "$processes" -I{} "$warpbeam" run demo/saxpy --mode plain --size small --gpu gtx480 \
        --functional --set seed={} --threads 1 --progress never --stats /dev/null >/dev/null 2>&1
}

difference() { echo "$2 $1" | awk '{print $1 - $2}'; }
sum() { echo "$1 $2" | awk '{print $1 + $2}'; }

: >kills
swept=0 single=0
if [ "$kills" = none ]; then
    turns=10 last=0
    [ "$runs" -ge 10 ] && [ -z "$slurm" ] || turns=1 # Slurm takes its time to begin with an array
    for turn in $(seq $turns); do
        first=$((last + 1)) last=$((runs * turn / turns))
        study $last
        begun=$(seconds)
        sweep
        middle=$(seconds)
        alone $first $last
        swept=$(sum "$swept" "$(difference "$begun" "$middle")")
        single=$(sum "$single" "$(difference "$middle" "$(seconds)")")
    done
else
    study "$runs"
    begun=$(seconds)
    for attempt in $(seq 1000); do
        sweep &
        sweeping=$!
        kill_some "$sweeping"
        wait "$sweeping" && break || true
    done
    swept=$(difference "$begun" "$(seconds)")
fi
"$warpbeam" sweep study.yaml --table --csv --columns status,ends,attempts >table.csv
awk -F, -v wanted="$runs" -v kills="$(wc -l <kills)" -v took="$swept" '
    NR > 1 { rows++; done += $1 == "done" && $2 == 1; attempts += $3 }
    END {
        printf "%d of %d runs ended exactly once; %d kills, %d beginnings; %.1f s\n", done, wanted, kills, attempts, took
        exit done != wanted || rows != wanted
    }' table.csv
[ "$kills" = none ] || exit 0
echo "$swept $single" | awk -v runs="$runs" -v processes="$processes" '{
    printf "the same runs alone: %.1f s; the sweep takes %.2f times that, %.1f ms more a run\n", $2, $1 / $2,
        1000 * ($1 - $2) * processes / runs
}'
