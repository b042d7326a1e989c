#!/bin/sh
# Builds Warpbeam and runs its main job: a wavefront under global barriers, nested launches and dependency graphs,
# its results checked, what each costs shown, statistics and report kept in build/demo.
# Installs missing packages on Debian and Ubuntu.
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

mkdir -p build
install_build_packages
configure_and_build release "" warpbeam
exec build/release/bin/warpbeam demo --out build/demo
