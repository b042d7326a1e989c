# shellcheck shell=sh
# Sourced by demo.sh and test.sh: installs what is missing and builds a preset.

# Installs the Debian or Ubuntu packages among the arguments that are not there yet.
install_packages() {
    missing=""
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -eq 0 ]; then
        as_root=""
    elif command -v sudo >/dev/null; then
        as_root="sudo"
    else
        echo "These packages are missing:$missing. Install them as root, or install sudo, and start again." >&2
        return 1
    fi
    echo "== installing:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
}

# What MPI programs need; without it their library is not built.
mpi_packages="libopenmpi-dev openmpi-bin"

# install_build_packages [PACKAGE...]: what every build needs, and the packages.
install_build_packages() {
    install_packages gcc libc6-dev cmake ninja-build pkg-config libyaml-dev libjansson-dev libsqlite3-dev liblz4-dev \
        libzstd-dev libiberty-dev libcmocka-dev "$@"
}

# What web/test needs; whoever has it from elsewhere keeps it.
has_chromium() {
    { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
}

has_browser() {
    command -v node >/dev/null && has_chromium
}

install_browser() {
    command -v node >/dev/null || install_packages nodejs
    has_chromium || install_packages chromium fonts-dejavu-core
}

# configure_and_build PRESET [CMAKE_OPTION [TARGET...]]: builds the targets, or all. A folder configured by
# another compiler or tree is made anew.
configure_and_build() {
    preset=$1
    option=${2:-}
    shift $(($# < 2 ? $# : 2))
    echo "== building preset $preset"
    cmake --preset "$preset" ${option:+"$option"} >"build/$preset.log" 2>&1 ||
        { rm -rf "build/$preset"
          cmake --preset "$preset" ${option:+"$option"} >"build/$preset.log" 2>&1; } ||
        { cat "build/$preset.log"; return 1; }
    cmake --build --preset "$preset" --target "${@:-all}" >"build/$preset.log" 2>&1 ||
        { tail -n 60 "build/$preset.log"; return 1; }
}
