#!/usr/bin/env bash
# Judges the HSA backend on the GPUs of a machine, and keeps the reports in hardware/results.
set -euo pipefail

usage() {
    cat <<'END'
usage: hardware/validate.sh [--built]
       hardware/validate.sh [--built] --slurm [SRUN-ARGUMENT...]

Builds kreplay with the HSA backend, checks that the GPUs may be used, and runs the conformance suite on them.
  --built   do not build: target/release/kreplay is there
  --slurm   build here, and run on the node that srun chooses; the folder must be shared with it
END
}

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 2
}

build() {
    command -v cargo >/dev/null || fail "cargo is not on the PATH: install Rust (https://rustup.rs)"
    cargo build --release --locked --features hsa
}

require_device() {
    local group
    [[ -e $1 ]] || fail "$1 does not exist on $(uname -n): load the amdgpu driver (sudo modprobe amdgpu)"
    if [[ ! -r $1 || ! -w $1 ]]; then
        group=$(stat -c %G "$1")
        fail "$1 may not be opened by $(id -un): join its group (sudo usermod -aG $group $(id -un)) and log in again"
    fi
}

require_gpu() {
    local node
    for node in /dev/dri/renderD*; do
        [[ -r $node && -w $node ]] && return
    done
    require_device "$node"
}

run() {
    local host results arguments
    host=$(uname -n)
    host=${host%%.*}
    results=hardware/results/$host-$(date -u +%Y%m%dT%H%M%SZ)
    arguments=(--backend hsa --isolate --timeout 120 --junit "$results/junit.xml" --format json --output "$results/report.jsonl")
    if [[ -e hardware/expectations/$host.toml ]]; then
        arguments+=(--expect "hardware/expectations/$host.toml")
    fi
    mkdir -p "$results"
    git rev-parse HEAD >"$results/commit" 2>/dev/null || rm "$results/commit"
    echo "reports: $results"
    # In the place of this shell, so that a signal reaches it.
    exec "$kreplay" conformance "${arguments[@]}"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
kreplay=${CARGO_TARGET_DIR:-target}/release/kreplay
built=false
slurm=false
while [[ $# -gt 0 ]]; do
    case $1 in
        --built) built=true ;;
        --slurm) slurm=true; shift; break ;;
        -h | --help) usage; exit ;;
        *) usage >&2; fail "unknown argument '$1', expected --built or --slurm" ;;
    esac
    shift
done

if $slurm; then
    command -v srun >/dev/null || fail "srun is not on the PATH: load Slurm, or run without --slurm on the machine with the GPUs"
    $built || build
    exec srun --ntasks=1 "$@" hardware/validate.sh --built
fi

require_device /dev/kfd
require_gpu
$built || build
[[ -x $kreplay ]] || fail "$kreplay is not there: run without --built"
run
