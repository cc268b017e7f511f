#!/bin/bash
# Compiles Media and the decoder against the FFmpeg of other Debian releases, and runs the media tests in a chroot of each where one can be made.
# Usage: Scripts/compat.sh [RELEASE…]        without any: bookworm (FFmpeg 5.1), trixie (7.1) and sid
# Needs apt, pkg-config and a Debian mirror. The chroots need root and debootstrap; without them, it fails at the end.
# All it makes is below .build/compat; a release that has been fetched is not fetched again (remove its folder for that).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/.build/compat
releases=("$@")
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie sid)
libraries=(libavformat libavcodec libavutil libswscale libswresample)
architecture=$(dpkg --print-architecture)
triple=$(dpkg-architecture -q DEB_HOST_MULTIARCH 2>/dev/null || gcc -print-multiarch)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() { echo "compat: $*" >&2; }
die() { say "$*"; exit 1; }

# The mirror that apt uses here for Debian itself; elsewhere, as on Ubuntu, Debian's own.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
mirror=${mirror:-https://deb.debian.org/debian}
[ -r "$keyring" ] || die "cannot check packages: there is no $keyring; install debian-archive-keyring"

# apt with private lists, state and cache: it reads only the machine's proxy and transport settings.
apt_of() {
    local folder=$root/$1/apt; shift
    apt-get -q -o Dir::State="$folder/state" -o Dir::State::status="$folder/state/status" -o Dir::Cache="$folder/cache" \
        -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- -o Dir::Etc::preferencesparts=- \
        -o APT::Architecture="$architecture" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

# Headers and libraries of a release's FFmpeg, and nothing else of it, unpacked to .build/compat/RELEASE/root.
fetch() {
    local release=$1 folder=$root/$1 names=() name
    [ -e "$folder/fetched" ] && return
    rm -rf "$folder/apt" "$folder/debs" "$folder/root"
    mkdir -p "$folder"/apt/state/lists/partial "$folder"/apt/cache/archives/partial "$folder/debs" "$folder/root"
    : > "$folder/apt/state/status"
    echo "deb [signed-by=$keyring] $mirror $release main" > "$folder/apt/sources.list"
    apt_of "$release" update > "$folder/apt/log" 2>&1 || { cat "$folder/apt/log" >&2; die "cannot read the lists of $release from $mirror"; }
    for name in "${libraries[@]}"; do names+=("$name-dev"); done
    # The libraries behind the -dev packages have their version in their names: libavcodec61.
    for name in "${libraries[@]}"; do
        names+=("$(apt_of "$release" --print-uris -y --no-install-recommends install "$name-dev" 2>/dev/null |
            grep -oE "/${name}[0-9]+_" | tr -d '/_' | head -1)")
    done
    (cd "$folder/debs" && apt_of "$release" download "${names[@]}" > "$folder/apt/log" 2>&1) || { cat "$folder/apt/log" >&2; die "cannot fetch ${names[*]}"; }
    for name in "$folder"/debs/*.deb; do dpkg-deb -x "$name" "$folder/root"; done
    # What the files say of where they are must be true here.
    sed -i "s|=/usr|=$folder/root/usr|" "$folder/root/usr/lib/$triple/pkgconfig/"*.pc
    touch "$folder/fetched"
}

# Only targets that know FFmpeg (FLICK_ONLY in Package.swift), seen through links: what SwiftPM has resolved for the whole package stays as it is.
package=$root/package
mkdir -p "$package"
for name in Package.swift Sources Tests; do ln -sfn "../../../$name" "$package/$name"; done

# With the release's headers and libraries; its own scratch folder, for the products differ.
build() {
    local release=$1 folder=$root/$1
    # In an executable the symbols that FFmpeg's own libraries need are looked up where it runs.
    PKG_CONFIG_PATH="$folder/root/usr/lib/$triple/pkgconfig" swift build --package-path "$package" --scratch-path "$folder/build" "${@:2}" \
        -Xlinker --allow-shlib-undefined 2>&1 | grep -E 'error|warning: [^'\'']|Compiling|Build' | tail -20
    return "${PIPESTATUS[0]}"
}

# A minimal system of the release, with the ffmpeg program that the tests make their clips with.
make_chroot() {
    local release=$1 chroot=$root/$1/chroot
    [ -e "$chroot/complete" ] && return
    [ "$(id -u)" -eq 0 ] || { say "no tests with $release: a chroot takes root"; return 1; }
    command -v debootstrap > /dev/null || { say "no tests with $release: there is no debootstrap"; return 1; }
    rm -rf "$chroot"
    debootstrap --variant=minbase --keyring="$keyring" --include=ffmpeg,libstdc++6 "$release" "$chroot" "$mirror" > "$root/$release/debootstrap.log" 2>&1 ||
        { say "no tests with $release: no chroot can be made; see $root/$release/debootstrap.log"; return 1; }
    touch "$chroot/complete"
}

# The tests run in the chroot with this machine's Swift runtime: this folder and the toolchain are seen there at their own paths.
test_in_chroot() {
    local release=$1 chroot=$root/$1/chroot toolchain bundle
    toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
    bundle=$(PKG_CONFIG_PATH="$root/$release/root/usr/lib/$triple/pkgconfig" swift build --package-path "$package" --scratch-path "$root/$release/build" --show-bin-path)/flickPackageTests.xctest
    mkdir -p "$chroot$toolchain" "$chroot$PWD"
    unshare -m bash -euc '
        mount --bind "$2" "$1$2"; mount --bind "$3" "$1$3"; mount -t proc proc "$1/proc"; mount --bind /dev "$1/dev"
        exec chroot "$1" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME=/root sh -c "cd \"\$0\" && exec \"\$1\" --testing-library swift-testing" "$3" "$4"
    ' - "$chroot" "$toolchain" "$PWD" "$bundle"
}

export FLICK_ONLY="flick-decoder MediaTests"
without=()
for release in "${releases[@]}"; do
    mkdir -p "$root/$release"
    fetch "$release"
    version=$(PKG_CONFIG_PATH="$root/$release/root/usr/lib/$triple/pkgconfig" pkg-config --modversion libavcodec)
    say "$release: compiling Media and flick-decoder against $(sed -n 's/^Version: *[0-9]*:\([0-9.]*\).*/FFmpeg \1/p' < <(dpkg-deb -I "$root/$release"/debs/libavcodec-dev*.deb | sed 's/^ *//')), libavcodec $version"
    build "$release" --product flick-decoder || die "it does not compile against $release"
    if make_chroot "$release"; then
        build "$release" --build-tests || die "the tests do not compile against $release"
        test_in_chroot "$release" > "$root/$release/test.log" 2>&1 || { tail -60 "$root/$release/test.log" >&2; die "the media tests fail with $release"; }
        grep -qE 'Test run with [1-9]' "$root/$release/test.log" || die "no media test ran with $release"
        say "$release: $(tail -1 "$root/$release/test.log")"
    else
        without+=("$release")
    fi
done
[ ${#without[@]} -eq 0 ] || die "no tests were run with ${without[*]}"
