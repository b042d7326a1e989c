#!/usr/bin/env bash
# Fetches the real data sets of the DTBL paper (table 4) and puts them into the form that the studies read:
#
#   scripts/fetch-inputs.sh [NAME...]      citation road cage graph500 flight movielens-100k movielens-1m; all
#                                          of them unless named: about 3 GB, of which cage and road are most
#
# They go to workloads/data/, or to the folder that WARPBEAM_DATA names. `warpbeam paper dtbl` and `warpbeam run
# dtbl/...` take them from workloads/data/ when they are there (docs/INPUTS.md says which size takes which).
#
# What is checked: GroupLens publishes an MD5 sum beside each archive, which is fetched, too, and compared. The
# other sites publish none that we know of: the SHA-256 of what was fetched first is kept in SHA256SUMS beside
# the files, and whatever is fetched later must have the same. Every file is also looked at: it must have the
# vertices that its collection states.
#
# What was not tried: no network was at hand when this was written, so the addresses and the sites' behaviour
# are as documented by them, not as seen. The conversions were tried with files made by hand
# (scripts/fetch_inputs_check.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
data=${WARPBEAM_DATA:-workloads/data}
suitesparse=${SUITESPARSE:-https://sparse.tamu.edu/MM}
openflights=${OPENFLIGHTS:-https://raw.githubusercontent.com/jpatokal/openflights/master/data}
grouplens=${GROUPLENS:-https://files.grouplens.org/datasets/movielens}

fail() {
    echo "fetch-inputs.sh: $*" >&2
    exit 1
}

# fetch ADDRESS FILE: into the folder of what was fetched; what is there already is not fetched again.
fetch() {
    local address=$1 file=$data/fetched/$2
    [ -s "$file" ] && return
    mkdir -p "$data/fetched"
    echo "fetching $address"
    if command -v curl >/dev/null; then
        curl --fail --location --retry 3 --silent --show-error --output "$file.part" "$address"
    elif command -v wget >/dev/null; then
        wget --tries=3 --quiet --output-document="$file.part" "$address"
    else
        fail "curl or wget is needed."
    fi || fail "$address could not be fetched."
    mv "$file.part" "$file"
}

# check FILE: as it was when it was fetched first.
check() {
    local sums=$data/SHA256SUMS sum known
    sum=$(sha256sum "$data/fetched/$1" | cut -d' ' -f1)
    known=$([ -f "$sums" ] && awk -v file="$1" '$2 == file {print $1}' "$sums" || true)
    if [ -z "$known" ]; then
        echo "$sum  $1" >>"$sums"
        echo "$1: no sum is published; $sum is kept in $sums"
    elif [ "$known" != "$sum" ]; then
        fail "$1 has the SHA-256 $sum, not $known as when it was fetched first: remove it and fetch it again."
    fi
}

# check_published FILE: against the MD5 sum that its site publishes.
check_published() {
    local published found
    published=$(grep -oiE '[0-9a-f]{32}' "$data/fetched/$1.md5" | head -1)
    found=$(md5sum "$data/fetched/$1" | cut -d' ' -f1)
    [ -n "$published" ] || fail "$1.md5 holds no MD5 sum."
    [ "$published" = "$found" ] || fail "$1 has the MD5 sum $found, published is $published."
}

# matrix COLLECTION/NAME TARGET ROWS: a Matrix Market file of SuiteSparse.
matrix() {
    local name=${1##*/} target=$data/$2.mtx rows=$3 found
    fetch "$suitesparse/$1.tar.gz" "$name.tar.gz"
    check "$name.tar.gz"
    tar -xzOf "$data/fetched/$name.tar.gz" "$name/$name.mtx" >"$target.part" ||
        fail "$name.tar.gz holds no $name/$name.mtx."
    found=$(awk '!/^%/ {print $1; exit}' "$target.part")
    [ "$found" = "$rows" ] || fail "$name has $found rows, not $rows: it is not the graph that was meant."
    mv "$target.part" "$target"
    echo "$target"
}

# Airports with a route become numbers in the order in which they come; pairs of airports become edges, both ways,
# with the great-circle distance in kilometres.
flight() {
    local file
    for file in airports.dat routes.dat; do
        fetch "$openflights/$file" "$file"
        check "$file"
    done
    awk -F, '
        function number(id) { if (!(id in numbers)) numbers[id] = count++; return numbers[id] }
        function radians(degrees) { return degrees * 3.14159265358979 / 180 }
        # Names may hold commas within quotes: latitude and longitude are told by their place from the end.
        FNR == NR { place[$1] = radians($(NF - 7)) " " radians($(NF - 6)); next }
        $4 in place && $6 in place && $4 != $6 && !(($4, $6) in seen) {
            seen[$4, $6] = seen[$6, $4] = 1
            split(place[$4], a, " "); split(place[$6], b, " ")
            c = sin(a[1]) * sin(b[1]) + cos(a[1]) * cos(b[1]) * cos(a[2] - b[2])
            angle = c >= 1 ? 0 : c <= -1 ? 3.14159265358979 : atan2(sqrt(1 - c * c), c)
            from = number($4); to = number($6); distance = int(6371 * angle) + 1
            print from, to, distance
            print to, from, distance
        }' "$data/fetched/airports.dat" "$data/fetched/routes.dat" >"$data/flight.el.part"
    [ -s "$data/flight.el.part" ] || fail "routes.dat holds no route between airports of airports.dat."
    mv "$data/flight.el.part" "$data/flight.el"
    echo "$data/flight.el"
}

# movielens ARCHIVE MEMBER SEPARATOR RATINGS: lines of user, film, stars and a time become edges.
movielens() {
    local target=$data/movielens-${1#ml-}.el found
    fetch "$grouplens/$1.zip" "$1.zip"
    fetch "$grouplens/$1.zip.md5" "$1.zip.md5"
    check_published "$1.zip"
    command -v unzip >/dev/null || fail "unzip is needed."
    unzip -p "$data/fetched/$1.zip" "$1/$2" |
        awk -F"$3" '{print $1 - 1, $2 - 1, $3}' >"$target.part"
    found=$(wc -l <"$target.part")
    [ "$found" = "$4" ] || fail "$1 has $found ratings, not $4."
    mv "$target.part" "$target"
    echo "$target"
}

one() {
    case $1 in
    citation) matrix DIMACS10/citationCiteseer citation 268495 ;;
    road) matrix DIMACS10/road_usa road 23947347 ;;
    cage) matrix vanHeukelum/cage15 cage 5154859 ;;
    graph500) matrix DIMACS10/kron_g500-logn20 graph500 1048576 ;;
    flight) flight ;;
    movielens-100k) movielens ml-100k u.data '\t' 100000 ;;
    movielens-1m) movielens ml-1m ratings.dat '::' 1000209 ;;
    *) fail "there is no data set '$1': citation road cage graph500 flight movielens-100k movielens-1m." ;;
    esac
}

mkdir -p "$data"
[ $# -gt 0 ] || set -- citation road cage graph500 flight movielens-100k movielens-1m
for name; do one "$name"; done
