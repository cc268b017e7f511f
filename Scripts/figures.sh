#!/bin/bash
# Measures what people wait for and download: in a fresh clone of this repository's last commit, with the Swift packages
# already downloaded. Prints each figure beside what is wanted on two cores; exits with 1 if one is missed.
# Usage: Scripts/figures.sh [run] [version] [packages] [size] [test] [edit]        without a name: all, in 40 minutes
#   run       from nothing to the first clip moving, as `make run` builds it
#   version   processor time of `flick --version`
#   packages  Swift packages whose code is in flick
#   size      all that `make install` installs
#   test      `make test` from a fresh clone
#   edit      `make test` after one file of UI was edited, to the first result
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=" ${*:-run version packages size test edit} "
clone=$(mktemp -d "${TMPDIR:-/tmp}/flick-figures.XXXXXX")
trap 'rm -rf "$clone"' EXIT
swift=${SWIFT:-swift}
missed=0

is_wanted() { [[ $wanted == *" $1 "* ]]; }
# A name, what was measured, the most that is wanted, and the unit.
figure() {
    local verdict=met
    awk "BEGIN { exit !($2 <= $3) }" || { verdict=MISSED missed=1; }
    printf '%-44s %8s %s, wanted %s: %s\n' "$1" "$2" "$4" "$3" "$verdict"
}
# A command that must succeed; its output is shown if it does not.
quietly() {
    "$@" > "$clone.log" 2>&1 || { tail -40 "$clone.log"; echo "figures.sh: failed: $*" >&2; exit 1; }
    rm -f "$clone.log"
}

git clone -q . "$clone"
cd "$clone"
quietly make setup
quietly "$swift" package resolve

if is_wanted run; then
    began=$SECONDS
    quietly "$swift" build -c release --static-swift-stdlib --product flick
    quietly "$swift" build -c release --static-swift-stdlib --product flick-decoder
    # The first frame of the first clip of the demo.
    quietly .build/release/flick preview Assets/demo/aurora.mp4
    figure "make run, to the first clip" $((SECONDS - began)) 270 s
fi
if is_wanted version || is_wanted packages || is_wanted size; then
    quietly make install DESTDIR="$clone/.build/installed" PREFIX=/usr
fi
if is_wanted version; then
    began=$(awk '{ print $16 + $17 }' "/proc/$$/stat")
    for _ in $(seq 100); do .build/installed/usr/bin/flick --version > /dev/null; done
    # Ticks of 10 ms, of 100 runs.
    used=$(awk -v began="$began" '{ print ($16 + $17 - began) / 10 }' "/proc/$$/stat")
    figure "flick --version, processor time" "$used" 4 ms
fi
if is_wanted packages; then
    # The packages that have one of the targets whose objects are linked.
    linked=$(sed -nE 's#.*/([A-Za-z0-9_]+)\.build/.*#\1#p' .build/release/flick.product/Objects.LinkFileList | sort -u)
    count=$(for target in $linked; do
        ls -d .build/checkouts/*/Sources/"$target" 2> /dev/null || true
    done | cut -d / -f 3 | sort -u | wc -l)
    figure "Swift packages linked into flick" "$count" 6 packages
fi
if is_wanted size; then
    figure "installed" "$(du -sm --apparent-size .build/installed | cut -f 1)" 60 MB
fi
if is_wanted test; then
    rm -rf .build/debug .build/*/debug
    began=$SECONDS
    quietly make test
    figure "make test, from nothing" $((SECONDS - began)) 720 s
fi
if is_wanted edit; then
    quietly "$swift" build --build-tests
    echo "// An edit." >> Sources/UI/Update.swift
    began=$SECONDS
    # The first result ends it, and with it `make`. Without a result there is no figure.
    # Groups that run beside others begin their lines with their names.
    (set +o pipefail; make test 2>&1 | grep -qE '^([a-z0-9-]+: )?✔ Test .* passed') ||
        { echo "figures.sh: failed: make test after an edit printed no result" >&2; exit 1; }
    figure "make test after an edit, to the first result" $((SECONDS - began)) 90 s
fi
exit "$missed"
