#!/bin/bash
# Installs what is missing on Debian and Ubuntu; elsewhere says what to install. Does nothing, and takes no time, when all is there.
# Usage: Scripts/setup.sh build [test]
set -euo pipefail

build_apt=(libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev libsdl2-dev libncurses-dev libsqlite3-dev pkg-config make)
test_apt=(ffmpeg tmux zzuf xvfb xterm imagemagick fonts-dejavu-core)
build_brew=(ffmpeg sdl2 ncurses pkg-config)
test_brew=(tmux zzuf imagemagick)

apt=() brew=()
for what in "$@"; do
    case $what in
    build) apt+=("${build_apt[@]}") brew+=("${build_brew[@]}") ;;
    test) apt+=("${test_apt[@]}") brew+=("${test_brew[@]}") ;;
    *) echo "setup.sh: cannot set up '$what': it is neither build nor test" >&2; exit 2 ;;
    esac
done

if ! command -v swift >/dev/null; then
    echo "setup.sh: cannot build: there is no Swift; install 6.1 or newer from https://www.swift.org/install" >&2
    exit 1
fi

if ! command -v apt-get >/dev/null; then
    if command -v brew >/dev/null; then
        missing=()
        for name in "${brew[@]}"; do brew list --versions "$name" >/dev/null 2>&1 || missing+=("$name"); done
        [ ${#missing[@]} -eq 0 ] && exit 0
        echo "setup.sh: libraries are missing; run: brew install ${missing[*]}" >&2
        exit 1
    fi
    echo "setup.sh: this is no Debian or Ubuntu, so nothing is installed; flick needs what these hold there: ${apt[*]}" >&2
    exit 0
fi

missing=()
for name in "${apt[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)" = installed ] || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: cannot install ${missing[*]}: not root, and there is no sudo; install them as root" >&2; exit 1; }
    root=(sudo)
fi
echo "Installing ${missing[*]}"
"${root[@]}" apt-get update -q
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
