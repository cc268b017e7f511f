#!/bin/bash
# Prints the licences and notices of what is linked into flick's programs: Swift's runtime, toml++ and the
# packages of Package.swift. A text that several have is printed once. The build has to be there.
# Usage: Scripts/notices.sh
set -euo pipefail
cd "$(dirname "$0")/.."
swift=$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")/share/swift
declare -A seen

# Prints a file below a heading.
put() {
    local name=$1 file=$2 sum
    sum=$(md5sum < "$file")
    printf '\n==== %s (%s)\n\n' "$name" "$(basename "$file")"
    if [ -n "${seen[$sum]:-}" ]; then echo "The same as that of ${seen[$sum]}."; else cat "$file"; fi
    seen[$sum]=${seen[$sum]:-$name}
}

echo "flick contains parts of these works."
[ ! -f "$swift/LICENSE.txt" ] || put "Swift runtime and Foundation" "$swift/LICENSE.txt"
# Headers of the system, which are compiled in.
put "toml++" Assets/notices/tomlplusplus
for package in .build/checkouts/*/; do
    for file in "$package"LICENSE* "$package"NOTICE* "$package"Sources/*/LICENSE; do
        [ ! -f "$file" ] || put "$(basename "$package")" "$file"
    done
done
