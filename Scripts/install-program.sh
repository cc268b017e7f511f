#!/bin/bash
# Installs a program without its symbols, which stay beside the built one as PROGRAM.debug; or installs those symbols where debuggers look (.debug).
# Usage: [FLICK_COMMIT=COMMIT] Scripts/install-program.sh PROGRAM FOLDER [symbols]
# FLICK_COMMIT is what `flick --version` is to show (Sources/CVersion).
set -euo pipefail
program=$1 folder=$2 name=$(basename "$1")
if ! command -v objcopy > /dev/null; then
    # macOS: what debuggers read stays in the objects of the build.
    [ "${3:-}" = symbols ] && exit
    install -d "$folder"
    install -m 755 "$program" "$folder/$name"
    strip "$folder/$name"
    exit
fi
objcopy --only-keep-debug --compress-debug-sections=zlib "$program" "$program.debug"
if [ "${3:-}" = symbols ]; then
    install -d "$folder/.debug"
    install -m 644 "$program.debug" "$folder/.debug/$name.debug"
    exit
fi
options=(--strip-all --add-gnu-debuglink="$program.debug")
if [ -n "${FLICK_COMMIT:-}" ]; then
    commit=$(mktemp)
    trap 'rm -f "$commit"' EXIT
    # The section has 64 bytes, the last of which is 0.
    printf %.63s "$FLICK_COMMIT" > "$commit"
    truncate -s 64 "$commit"
    options+=(--update-section ".flick_commit=$commit")
fi
install -d "$folder"
install -m 755 "$program" "$folder/$name"
objcopy "${options[@]}" "$folder/$name"
