#!/bin/sh
# Builds Warpbeam and runs its main job: a kernel on a simulated GPU, its result checked, its cycles shown.
# Installs missing packages on Debian and Ubuntu.
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

mkdir -p build
install_build_packages
configure_and_build release
exec build/release/bin/warpbeam demo --cycle
