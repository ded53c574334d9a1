#!/bin/sh
# Compiles the kernels for each GPU that clang-19 knows: build.sh [FOLDER], by default the folder of the prebuilt ones.
# FOLDER/ISA/conformance.co has every kernel. FOLDER/ISA/variables-8-c16.co has a variable v0 of 8 bytes and a constant
# v1 of 16 bytes, and so on. Symbol tables stay: a runtime finds kernels and variables by them.
set -eu

sources=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$sources/prebuilt}
isas="gfx908 gfx90a gfx942 gfx950"
variables="4 8 12 8-4 c16-4 1073741828"

compile() {
    clang-19 --target=amdgcn-amd-amdhsa -nogpulib -mcode-object-version=4 -std=gnu17 -O2 -Wall -Wextra -Werror "$@"
}

# Variables as the source wants them: of "8-c16", VARIABLE(v0,8) CONSTANT(v1,16).
listed() {
    number=0
    for size in $(echo "$1" | tr - ' '); do
        case $size in
        c*) echo "CONSTANT(v$number,${size#c})" ;;
        *) echo "VARIABLE(v$number,$size)" ;;
        esac
        number=$((number + 1))
    done
}

cd "$sources"
for isa in $isas; do
    clang-19 --target=amdgcn-amd-amdhsa -mcpu="$isa" -nogpulib -x c -S -o /dev/null /dev/null 2>&- || continue
    mkdir -p "$folder/$isa"
    compile -mcpu="$isa" conformance.c -o "$folder/$isa/conformance.co"
    for sizes in $variables; do
        compile -mcpu="$isa" "-DVARIABLES=$(listed "$sizes" | tr '\n' ' ')" variables.c \
            -o "$folder/$isa/variables-$sizes.co"
    done
done
chmod -x "$folder"/*/*.co
