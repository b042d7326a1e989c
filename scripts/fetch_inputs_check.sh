#!/usr/bin/env bash
# Whether fetch-inputs.sh turns files of the sites' forms into edges, and refuses those that are not what they
# should be. A test; the files are made here, and curl reads them without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v curl >/dev/null && command -v zip >/dev/null && command -v unzip >/dev/null || {
    echo "curl, zip or unzip is not installed: not checked"
    exit 77
}
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
export WARPBEAM_DATA=$site/data SUITESPARSE=file://$site OPENFLIGHTS=file://$site GROUPLENS=file://$site

fetch() { scripts/fetch-inputs.sh "$@" >"$site/log" 2>&1; }
expect() {
    diff <(printf '%s\n' "${@:2}") "$1" || {
        echo "fetch_inputs_check.sh: $1 is wrong"
        exit 1
    }
}
refuse() {
    if fetch "$1" || ! grep -q "$2" "$site/log"; then
        echo "fetch_inputs_check.sh: '$2' was not said of $1:"
        cat "$site/log"
        exit 1
    fi
}

mkdir -p "$site/DIMACS10/citationCiteseer" "$site/vanHeukelum" "$site/ml-100k"
(cd "$site/DIMACS10" && printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n268495 268495 1\n2 1\n' \
    >citationCiteseer/citationCiteseer.mtx && tar -czf citationCiteseer.tar.gz citationCiteseer)
fetch citation
expect "$site/data/citation.mtx" '%%MatrixMarket matrix coordinate pattern symmetric' '268495 268495 1' '2 1'
# The same file must come again.
echo more >>"$site/data/fetched/citationCiteseer.tar.gz"
refuse citation "not .* as when it was fetched first"
# A matrix with other rows is not the one that was meant.
(cd "$site/vanHeukelum" && mkdir cage15 && printf '%%%%MatrixMarket\n9 9 1\n2 1 0.5\n' >cage15/cage15.mtx &&
    tar -czf cage15.tar.gz cage15)
refuse cage "cage15 has 9 rows, not 5154859"

# A quarter of the equator; a route back is the same edge, one to nowhere is none.
cat >"$site/airports.dat" <<'DATA'
7,"One, with a comma","City","Country","AAA","AAAA",0,0,10,1,"U","Zone","airport","OurAirports"
9,"Two","City","Country","BBB","BBBB",0,90,10,1,"U","Zone","airport","OurAirports"
DATA
printf '%s\n' 'A,1,AAA,7,BBB,9,,0,380' 'B,2,BBB,9,AAA,7,,0,380' 'C,3,AAA,7,ZZZ,\N,,0,380' >"$site/routes.dat"
fetch flight
expect "$site/data/flight.el" '0 1 10008' '1 0 10008'

for line in $(seq 100000); do echo "$((line % 943 + 1))	$((line % 1682 + 1))	3	881250949"; done >"$site/ml-100k/u.data"
(cd "$site" && zip -q ml-100k.zip ml-100k/u.data && md5sum ml-100k.zip >ml-100k.zip.md5)
fetch movielens-100k
expect <(head -2 "$site/data/movielens-100k.el") '1 1 3' '2 2 3'
echo 0123456789abcdef0123456789abcdef >"$site/data/fetched/ml-100k.zip.md5"
refuse movielens-100k "published is 0123456789abcdef"
refuse cinema "there is no data set 'cinema'"
