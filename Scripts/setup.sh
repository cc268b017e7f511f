#!/bin/bash
# Sees to it that what building, and with "test" testing, needs is there. Debian and Ubuntu: installs what is missing,
# but for Swift. Elsewhere: prints the command that does.
# Takes no time when all is there.
# Usage: Scripts/setup.sh build [test] [peers]: peers are the programs that `make bench` measures beside flick
#
# Tried: apt on Debian 12 and 13, bare ones too (Scripts/check-packages.sh). Not tried: brew, dnf, pacman, zypper and apk;
# their names are those of their package lists, and pkg-config, not the package manager, finds what is missing.
# Swift.org has no toolchain for musl, so apk (Alpine) stops at the compiler.
set -euo pipefail

libraries=(libavformat libavcodec libavutil libswscale libswresample sdl2 ncursesw sqlite3 libpq libturbojpeg 'openssl >= 3' libxml-2.0 uchardet 'libcurl >= 7.87' libsodium tomlplusplus zlib libbrotlidec libzstd)
programs=(make) test_programs=(ffmpeg tmux zzuf Xvfb xterm nginx openssl python3 curl psql kitty sixel2png brotli zstd)

apt=(libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev libsdl2-dev libncurses-dev
    libsqlite3-dev libpq-dev libturbojpeg0-dev libssl-dev libxml2-dev libuchardet-dev libcurl4-openssl-dev
    libsodium-dev libtomlplusplus-dev zlib1g-dev libbrotli-dev libzstd-dev pkg-config make
    # What Swift's own programs need: C's and C++'s libraries and a linker for them, and git for packages.
    g++ git ca-certificates)
apt_test=(ffmpeg tmux zzuf xvfb xterm kitty libgl1-mesa-dri libsixel-bin imagemagick fonts-dejavu-core ncurses-term nginx-light openssl python3 curl brotli zstd postgresql)
# A browser plays what is served. Ubuntu has none for apt, and the one in a snap sees no temporary files: there, its test fails without another.
grep -qs '^ID=debian' /etc/os-release && apt_test+=(chromium-headless-shell)
brew=(ffmpeg sdl2 ncurses sqlite libpq jpeg-turbo openssl@3 libxml2 uchardet curl libsodium tomlplusplus brotli zstd pkgconf)
brew_test=(ffmpeg tmux zzuf imagemagick libsixel nginx openssl python3 curl brotli zstd postgresql@17)
dnf=(ffmpeg-free-devel SDL2-devel ncurses-devel sqlite-devel libpq-devel turbojpeg-devel openssl-devel libxml2-devel uchardet-devel libcurl-devel libsodium-devel tomlplusplus-devel zlib-devel brotli-devel libzstd-devel pkgconf-pkg-config make)
dnf_test=(ffmpeg-free tmux zzuf xorg-x11-server-Xvfb xterm kitty libsixel-utils ImageMagick dejavu-sans-mono-fonts nginx openssl python3 curl brotli zstd postgresql-server chromium)
pacman=(ffmpeg sdl2-compat ncurses sqlite postgresql-libs libjpeg-turbo openssl libxml2 uchardet curl libsodium tomlplusplus zlib brotli zstd pkgconf make)
pacman_test=(tmux zzuf xorg-server-xvfb xterm kitty libsixel imagemagick ttf-dejavu nginx openssl python curl brotli zstd postgresql chromium)
# openSUSE has the version of FFmpeg in its packages' names; what they provide has not.
zypper=('pkgconfig(libavformat)' 'pkgconfig(libavcodec)' 'pkgconfig(libavutil)' 'pkgconfig(libswscale)' 'pkgconfig(libswresample)' 'pkgconfig(sdl2)' ncurses-devel sqlite3-devel 'pkgconfig(libpq)' 'pkgconfig(libturbojpeg)' 'pkgconfig(openssl)' 'pkgconfig(libxml-2.0)' 'pkgconfig(uchardet)' 'pkgconfig(libcurl)' 'pkgconfig(libsodium)' 'pkgconfig(tomlplusplus)' 'pkgconfig(zlib)' 'pkgconfig(libbrotlidec)' 'pkgconfig(libzstd)' pkgconf make)
zypper_test=(ffmpeg tmux zzuf xorg-x11-server-Xvfb xterm kitty libsixel-utils ImageMagick dejavu-fonts nginx openssl python3 curl brotli zstd postgresql-server chromium)
apk=(ffmpeg-dev sdl2-dev ncurses-dev sqlite-dev libpq-dev libjpeg-turbo-dev openssl-dev libxml2-dev uchardet-dev curl-dev libsodium-dev tomlplusplus-dev zlib-dev brotli-dev zstd-dev pkgconf make)
apk_test=(ffmpeg tmux zzuf xvfb xterm kitty libsixel-tools imagemagick font-dejavu nginx openssl python3 curl brotli zstd postgresql chromium)

peers=(mpv timg chafa jp2a)

tests=
for what in "$@"; do
    case $what in
    build) ;;
    test) tests=yes ;;
    peers)
        programs+=("${peers[@]}") apt+=("${peers[@]}") brew+=("${peers[@]}") dnf+=("${peers[@]}")
        pacman+=("${peers[@]}") zypper+=("${peers[@]}") apk+=("${peers[@]}")
        ;;
    *) echo "setup.sh: cannot set up '$what': it is not build, test or peers" >&2; exit 2 ;;
    esac
done

# Debian's own packages of Swift, where there are any, are too old.
need_swift() {
    command -v swift >/dev/null && return
    echo "setup.sh: there is no Swift; install 6.3 or newer from https://www.swift.org/install" >&2
    exit 1
}

# Says what to run, unless all is there.
advise() {
    local missing=() name
    if [ "$(uname)" = Darwin ]; then
        # No screen is made there, and so no X server is needed.
        test_programs=(ffmpeg tmux zzuf nginx openssl python3 curl psql sixel2png brotli zstd)
        # Homebrew keeps these aside, as macOS has its own.
        PKG_CONFIG_PATH=$(brew --prefix)/opt/ncurses/lib/pkgconfig:$(brew --prefix)/opt/sqlite/lib/pkgconfig:$(brew --prefix)/opt/libpq/lib/pkgconfig:$(brew --prefix)/opt/jpeg-turbo/lib/pkgconfig:$(brew --prefix)/opt/openssl@3/lib/pkgconfig:$(brew --prefix)/opt/libxml2/lib/pkgconfig:$(brew --prefix)/opt/curl/lib/pkgconfig:${PKG_CONFIG_PATH:-}
        export PKG_CONFIG_PATH
    fi
    for name in "${libraries[@]}"; do pkg-config --exists "$name" 2>/dev/null || missing+=("$name"); done
    [ -z "$tests" ] || programs+=("${test_programs[@]}")
    for name in "${programs[@]}"; do command -v "$name" >/dev/null || missing+=("$name"); done
    [ -z "$tests" ] || [ "$(uname)" = Darwin ] || command -v chromium chromium-browser google-chrome >/dev/null || missing+=(chromium)
    if [ ${#missing[@]} -eq 0 ]; then
        need_swift
        exit 0
    fi
    echo "setup.sh: ${missing[*]} missing; run: $*" >&2
    exit 1
}

if ! command -v apt-get >/dev/null; then
    [ -z "$tests" ] || { brew+=("${brew_test[@]}") dnf+=("${dnf_test[@]}") pacman+=("${pacman_test[@]}") zypper+=("${zypper_test[@]}") apk+=("${apk_test[@]}"); }
    command -v brew >/dev/null && advise brew install "${brew[@]}"
    command -v dnf >/dev/null && advise sudo dnf install "${dnf[@]}"
    command -v pacman >/dev/null && advise sudo pacman -S --needed "${pacman[@]}"
    command -v zypper >/dev/null && advise sudo zypper install "${zypper[@]@Q}"
    command -v apk >/dev/null && advise sudo apk add "${apk[@]}"
    [ -z "$tests" ] || apt+=("${apt_test[@]}")
    advise "the package manager of this system, for what Debian has in ${apt[*]}"
fi

[ -z "$tests" ] || apt+=("${apt_test[@]}")
missing=()
for name in "${apt[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)" = installed ] || missing+=("$name")
done

root=()
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: cannot install ${missing[*]}: not root, and there is no sudo; install them as root" >&2; exit 1; }
    root=(sudo)
fi
if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing ${missing[*]}"
    "${root[@]}" apt-get update -q
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi
need_swift
