#!/usr/bin/env bash
# Records what a real GPU counts for the kernels of workloads: run.sh FOLDER [WORKLOAD[/KERNEL]...]
#
# Builds the recorder and the cubins with cc and nvcc (NVCC, or that of the PATH or of /usr/local/cuda), runs
# every kernel once to check its result, and then under Nsight Compute (NCU, likewise):
#   cycles-N.csv   cycles alone, in one pass, caches as the copies left them; REPEATS times (3)
#   cold-N.csv     the same with caches flushed before each launch
#   program.csv    counters that depend on caches: the whole program is run once for each pass
#   kernel.csv     the others: each launch is run once for each pass
# FOLDER gets these, index.txt (what each launch is), metrics.txt and machine.txt; table.py makes tables of
# them. Without workloads, the suite is recorded.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,12s/^# \?//p' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- suite
cd "$(dirname "$0")/.."
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
cuda=$(dirname "$(dirname "$nvcc")")
folders=()
for folder in suite correlation launch polybench; do
    [ ! -d "$folder" ] || folders+=("$folder")
done

build() {
    local folder source
    for folder in "${folders[@]}"; do
        mkdir -p "$out/build/$folder"
        for source in "$folder"/*.cu; do
            echo "$nvcc -O3 -arch=sm_90 -cubin $source -o $out/build/${source%.cu}.cubin"
        done
    done | xargs -P "$(nproc)" -I{} sh -c '{}'
    # shellcheck disable=SC2046
    cc -std=gnu17 -O2 -I ../include -I . -I "$cuda/include" -o "$out/build/record" record/*.c \
        common/host_data.c common/bodies.c $(printf '%s/*.c ' "${folders[@]}") -lm -ldl
}

# Of the counters of one kind, those that the machine has, divided by commas.
choose() {
    awk -v kind="$1" 'FNR == NR { has[$1] = 1; next }
        /^#/ || $3 != kind { next }
        {
            count = split($4, names, "|")
            for (i = 1; i <= count; i++) {
                base = names[i]
                sub(/\..*/, "", base)
                if (base in has || base ~ /^launch__/) { printf "%s%s", comma, names[i]; comma = ","; next }
            }
            print "no counter for " $1 > "/dev/stderr"
        }' "$out/metrics.txt" record/counters.txt
}

profile() {
    local file=$1
    shift
    "$ncu" --csv --page raw --print-units base --clock-control none --log-file "$out/$file" "$@"
}

build
wishes=("$@")
record=("$out/build/record" "$out/build" "$out/index.txt" "${wishes[@]}")
"${record[@]}"
{
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader
    "$nvcc" --version | tail -2 | head -1
    "$ncu" --version | tail -1
} >"$out/machine.txt"
"$ncu" --query-metrics >"$out/metrics.txt"
for ((i = 1; i <= ${REPEATS:-3}; i++)); do
    profile "cycles-$i.csv" --cache-control none --metrics sm__cycles_elapsed.max "${record[@]}"
    profile "cold-$i.csv" --cache-control all --metrics sm__cycles_elapsed.max "${record[@]}"
done
profile kernel.csv --cache-control none --metrics "$(choose kernel)" "${record[@]}"
profile program.csv --cache-control none --replay-mode application --metrics "$(choose program)" \
    "${record[@]}"
