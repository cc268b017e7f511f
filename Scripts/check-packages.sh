#!/bin/bash
# Installs, uses, upgrades and removes the Debian package and the tarball in bare systems, and sets up a build in one.
# Usage: Scripts/check-packages.sh [--only setup|deb|tarball] [RELEASE…]        without a release: bookworm and trixie
# For the release that this machine runs, it takes what `make deb tarball` made last; for others it builds them in a
# chroot, with this machine's Swift. Needs root, debootstrap, tmux and a Debian mirror. All it makes is below
# .build/packages; a bare system that was made once is used again (remove RELEASE.tar for another).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${FLICK_CHECK_INSIDE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || { echo "check-packages.sh: chroots take root" >&2; exit 1; }
    for tool in debootstrap tmux unshare; do
        command -v "$tool" > /dev/null || { echo "check-packages.sh: there is no $tool" >&2; exit 1; }
    done
    # Private mounts and processes, which end with it.
    FLICK_CHECK_INSIDE=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi

only=
[ "${1:-}" != --only ] || { only=$2; shift 2; }
releases=("$@")
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
root=$PWD/.build/packages
source=$PWD
# shellcheck source=/dev/null
here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
version=$(sed -n 's/^public let version = "\(.*\)"/\1/p' Sources/App/Configuration/Settings.swift)
commit=$(git describe --always --exclude '*' --abbrev=10 --dirty)
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(apt-get indextargets --format "\$(ORIGIN) \$(LABEL) \$(REPO_URI)" 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a function or command as a step: prints one line, and all that it printed if it fails.
step() {
    local name=$1 code began=$SECONDS
    shift
    set +e
    (
        set -e
        "$@"
    ) > "$work/log" 2>&1
    code=$?
    set -e
    if [ "$code" -ne 0 ]; then
        echo "$what: $name: FAILED ($code)"
        tail -60 "$work/log"
        exit 1
    fi
    echo "$what: $name: ok$([ $((SECONDS - began)) -lt 10 ] || echo ", $((SECONDS - began)) s")$(note)"
}
# What a step wants said besides.
note() { [ ! -s "$work/note" ] || { printf ' (%s)' "$(cat "$work/note")"; : > "$work/note"; }; }
fail() { echo "$*"; return 1; }
# Fails if the command does not.
refuses() { if "$@"; then fail "this should have failed: $*"; fi; }

# A new bare system in $system.
new_system() {
    system=$root/systems/$release-$1
    what="$release $1"
    close_system
    rm -rf --one-file-system "$system"
    if [ ! -e "$root/$release.tar" ]; then
        step "make a bare system" bootstrap
    fi
    mkdir -p "$system"
    tar -C "$system" -xpf "$root/$release.tar"
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    # The machine's clock may be off; packages are checked by their signatures.
    echo 'Acquire::Check-Date "false";' > "$system/etc/apt/apt.conf.d/90check"
    mount -t proc proc "$system/proc"
    mount -t tmpfs -o mode=755 dev "$system/dev"
    local node
    for node in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0' 'ptmx 5 2'; do
        # shellcheck disable=SC2086
        mknod -m 666 "$system/dev/"${node%% *} c ${node#* }
    done
    mkdir "$system/dev/pts" "$system/dev/shm"
    ln -s /proc/self/fd "$system/dev/fd"
    mount --bind /dev/pts "$system/dev/pts"
    mount -t tmpfs -o mode=1777 shm "$system/dev/shm"
}
bootstrap() {
    local folder=$root/$release.new
    rm -rf --one-file-system "$folder"
    mkdir -p "$root"
    debootstrap --variant=minbase --keyring="$keyring" "$release" "$folder" "${mirror:-https://deb.debian.org/debian}"
    rm -f "$folder"/var/cache/apt/archives/*.deb
    tar -C "$folder" -cf "$root/$release.tar.part" .
    mv "$root/$release.tar.part" "$root/$release.tar"
    rm -rf --one-file-system "$folder"
}
close_system() {
    local folder
    for folder in dev/shm dev/pts dev proc "${toolchain#/}"; do
        ! mountpoint -q "$system/$folder" || umount "$system/$folder"
    done
}
drop_system() {
    close_system
    rm -rf --one-file-system "$system"
}

# Runs a command in the system.
path=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
run() {
    chroot "$system" env -i PATH="$path" HOME=/root LANG=C.UTF-8 TERM=xterm-256color SDL_AUDIODRIVER=dummy \
        DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
}
apt() { run apt-get -q -y "$@"; }

wait_for() {
    local seconds=$1 end
    shift
    end=$((SECONDS + seconds))
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "not within $seconds s: $*"
        sleep 0.1
    done
}
terminal() { tmux -S "$work/tmux" -f /dev/null "$@"; }

# --- What flick has to do, wherever it is installed: $flick

shows_version() {
    run "$flick" --version | tee "$work/version"
    grep -qx "flick $version ($commit)" "$work/version"
    cp "$work/version" "$work/note"
}
passes_doctor() {
    run "$flick" doctor | tee "$work/doctor"
    grep -q '^✓ decoder: ' "$work/doctor"
    grep -q '^✓ sandbox: ' "$work/doctor"
    # SDL is there, and has its dummy device.
    refuses grep -q 'cannot be loaded' "$work/doctor"
    grep -q '^✓ demo feed: ' "$work/doctor"
}
previews() {
    run "$flick" preview "$demo/ocean.mp4" --size 60x20 --surface half --color truecolor > "$work/picture"
    has_picture "$work/picture"
}
has_picture() {
    local colors
    colors=$(grep -oE '[34]8;2;[0-9;]+' "$1" | sort -u | wc -l)
    echo "$colors colours" > "$work/note"
    [ "$colors" -ge 200 ] || fail "no picture: $colors colours"
}
# Opens a source in a terminal: there is a picture, keys turn the page and like the clip, and q ends it.
browses() {
    rm -f "$system/root/trace" "$work/status"
    terminal new-session -d -x 100 -y 30 "chroot '$system' env -i PATH='$path' HOME=/root LANG=C.UTF-8 \
        TERM=tmux-256color COLORTERM=truecolor SDL_AUDIODRIVER=dummy '$flick' $* --trace /root/trace; \
        echo \$? > '$work/status'"
    wait_for 20 grep -q '"ev":"first_frame"' "$system/root/trace"
    sleep 1
    terminal capture-pane -e -p > "$work/screen"
    terminal send-keys l
    sleep 0.5
    terminal send-keys Down
    wait_for 10 grep -q '"ev":"page"' "$system/root/trace"
    sleep 0.5
    terminal capture-pane -e -p > "$work/second"
    terminal send-keys q
    wait_for 10 test -s "$work/status"
    grep -qx 0 "$work/status"
    has_picture "$work/second"
    has_picture "$work/screen"
}
# Serves the demo's folder, and opens it with a second flick.
serves() {
    local url items server
    chroot "$system" env -i PATH="$path" HOME=/root LANG=C.UTF-8 "$flick" serve "$demo" --port 0 \
        > "$work/served" 2>&1 < /dev/null &
    server=$!
    wait_for 20 grep -q 'http://' "$work/served"
    url=$(grep -oE 'http://[^ ]+' "$work/served" | head -1)
    run "$flick" feed "$url" --json > "$work/items"
    items=$(wc -l < "$work/items")
    [ "$items" -ge 10 ] || fail "$items items"
    # Stills are made by decoders and written by libturbojpeg.
    grep -q '"thumbnail"' "$work/items"
    browses "$url"
    run "$flick" cache list --json | grep -q "${url%/feed.json}"
    echo "$items items, cached and liked" > "$work/note"
    kill "$server"
    run "$flick" liked --json | grep -q '"id"'
}
# What is in the system but for what apt, dpkg and the user write.
contents() {
    local skipped=() name
    for name in root tmp var/log var/cache var/lib/apt var/lib/dpkg proc dev run; do
        skipped+=(-path "./$name" -prune -o)
    done
    (cd "$system" && find . -xdev "${skipped[@]}" -print) | sort
}
installed() { run dpkg-query -W -f "\${Package} \${db:Status-Abbrev}\n"; }
# Sums of all that flick has stored for its user.
stored() { (cd "$system/root" && find .config .cache .local -type f -exec md5sum {} + | sort); }

# --- The package

# The file of $1 whose name matches $2.
made_file() {
    local file
    for file in "$1"/$2; do
        [ ! -f "$file" ] || { echo "$file"; return; }
    done
    echo "check-packages.sh: there is no $1/$2; make it by 'make deb tarball', or here without --only" >&2
    return 1
}
installs() {
    cp "$deb" "$system/root/flick.deb"
    apt update
    apt install /root/flick.deb
    run dpkg -L flick | sed "s|^|$system|" | xargs stat -c '%F %s' |
        awk '/^regular/ { sum += $NF } END { printf "%.1f MB", sum / 1e6 }' > "$work/note"
}
has_files() {
    local file
    for file in man/man1/flick.1.gz bash-completion/completions/flick zsh/vendor-completions/_flick \
        fish/vendor_completions.d/flick.fish applications/flick.desktop metainfo/org.example.flick.metainfo.xml \
        icons/hicolor/scalable/apps/flick.svg doc/flick/{copyright,changelog.gz,third-party-notices.gz} \
        doc/flick/user/guide.md; do
        test -s "$system/usr/share/$file" || fail "$file is missing"
    done
    ! command -v desktop-file-validate || desktop-file-validate "$system/usr/share/applications/flick.desktop"
    ! command -v appstreamcli || appstreamcli validate --no-net "$system"/usr/share/metainfo/*.flick.metainfo.xml
}
# The same with another revision, as a new release would be.
upgrades() {
    rm -rf "$work/next"
    dpkg-deb -R "$deb" "$work/next"
    sed -i 's/^\(Version: .*\)-1~/\1-2~/' "$work/next/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone -b "$work/next" "$system/root/next.deb"
    run "$flick" add "$demo"
    stored > "$work/stored"
    grep -q ' .config/flick/' "$work/stored"
    grep -q ' .local/state/flick/\| .local/share/flick/' "$work/stored"
    grep -q ' .cache/flick/' "$work/stored"
    apt install /root/next.deb
    run dpkg-query -W -f "\${Version}" flick | grep -- -2~
    stored | diff "$work/stored" -
    run "$flick" liked --json | grep -q '"id"'
    run "$flick" sources | grep -q demo
    echo "$(wc -l < "$work/stored") files of configuration, state and cache unchanged" > "$work/note"
}
removes() {
    apt purge --autoremove flick
    contents > "$work/after"
    comm -13 "$work/before" "$work/after" > "$work/left"
    refuses grep flick "$work/left"
    installed > "$work/packages-after"
    refuses grep '^flick' "$work/packages-after"
    # flick has written since the upgrade; the files have to be there.
    stored | cut -c 35- | sort | diff <(cut -c 35- "$work/stored" | sort) - || fail "the user's files were touched"
    # apt keeps what other packages recommend, as ca-certificates.
    echo "kept by apt: $(comm -13 "$work/packages" "$work/packages-after" | awk '{ print $1 }' | xargs)" > "$work/note"
}
check_deb() {
    deb=$(made_file "$1" "flick_$version-1~*.deb")
    flick=/usr/bin/flick demo=/usr/share/flick/demo
    new_system deb
    contents > "$work/before"
    installed > "$work/packages"
    ! command -v lintian > /dev/null || step "lintian" lints
    step "install" installs
    step "files, desktop entry and metadata" has_files
    step "--version" shows_version
    step "doctor" passes_doctor
    step "preview" previews
    step "browse: picture and keys" browses
    step "serve, and browse it with a second flick" serves
    step "upgrade" upgrades
    step "remove" removes
    drop_system
}
lints() {
    lintian --fail-on error "$deb" | tee "$work/lint"
    grep -c '^W:' "$work/lint" | sed 's/$/ warnings/' > "$work/note" || true
}

# --- The tarball

# The packages that its README names, without those of FFmpeg or only those.
named() { sed -n 's/^ *apt-get install //p' "$folder/README" | tr ' ' '\n' | grep "$@" '^lib\(av\|sw\)'; }
unpacks() {
    mkdir -p "$system/opt/two words"
    tar -C "$system/opt/two words" -xf "$tarball"
}
lacks_ffmpeg() {
    apt update
    # shellcheck disable=SC2046
    apt install $(named -v)
    refuses run "$flick" preview "$demo/ocean.mp4" 2> "$work/errors"
    cat "$work/errors"
    [ "$(wc -l < "$work/errors")" -eq 1 ]
    refuses run "$flick" doctor > "$work/doctor"
    cat "$work/doctor"
    grep -A 1 '^✗ decoder: .* libavformat.so.* not found' "$work/doctor" | grep -q 'packages are .*libavformat'
    cat "$work/errors" > "$work/note"
}
gets_ffmpeg() {
    # shellcheck disable=SC2046
    apt install $(named -e)
}
moves() {
    mv "$system/opt/two words" "$system/opt/moved"
    ln -s "/opt/moved/$(basename "$folder")/bin/flick" "$system/usr/local/bin/flick"
    flick=/usr/local/bin/flick demo="/opt/moved/$(basename "$folder")/share/flick/demo"
    shows_version
    previews
}
deletes() {
    rm -rf "$system/opt/moved" "$system/usr/local/bin/flick"
    contents > "$work/after"
    refuses grep flick "$work/after"
}
check_tarball() {
    tarball=$(made_file "$1" "flick-$version-linux-*.tar.xz")
    new_system tarball
    folder="$system/opt/two words/$(basename "$tarball" .tar.xz)"
    flick=${folder#"$system"}/bin/flick demo=${folder#"$system"}/share/flick/demo
    step "unpack" unpacks
    step "without FFmpeg, one line says so" lacks_ffmpeg
    step "install what the README names" gets_ffmpeg
    step "--version" shows_version
    step "doctor" passes_doctor
    step "preview" previews
    step "browse: picture and keys" browses
    step "serve, and browse it with a second flick" serves
    step "move, and run through a link" moves
    step "delete" deletes
    drop_system
}

# --- Building

# The sources as they are here, and packages of Swift as they were fetched.
copies_sources() {
    mkdir -p "$system$source/.build"
    git ls-files -z | tar --null -T - -c | tar -C "$system$source" -x
    [ ! -e Package.resolved ] || cp Package.resolved "$system$source"
    local name
    for name in repositories checkouts workspace-state.json; do
        [ ! -e ".build/$name" ] || cp -a ".build/$name" "$system$source/.build"
    done
    apt update
    apt install make
}
make_in() { run make -C "$source" COMMIT="$commit" "$@"; }
sets_up_without_swift() {
    refuses make_in setup > "$work/setup" 2>&1
    cat "$work/setup"
    grep 'there is no Swift; install' "$work/setup" > "$work/note"
}
sets_up() {
    path=$toolchain/usr/bin:$path
    run swift --version
    make_in setup
    # Nothing is left to install.
    make_in setup > "$work/again"
    refuses grep Installing "$work/again"
}
builds() {
    path=$toolchain/usr/bin:$path
    apt install --no-install-recommends dpkg-dev
    run env FLICK_ONLY="flick flick-decoder flick-server" make -C "$source" COMMIT="$commit" deb tarball
    mkdir -p "$root/$release"
    rm -f "$root/$release"/flick*
    cp "$system$source"/.build/packages/flick* "$root/$release"
    (cd "$root/$release" && echo flick*) > "$work/note"
}
check_setup() {
    new_system setup
    step "copy the sources, install make" copies_sources
    step "make setup without Swift" sets_up_without_swift
    mkdir -p "$system$toolchain"
    mount --bind -o ro "$toolchain" "$system$toolchain"
    step "make setup" sets_up
    [ "$release" = "$here" ] || step "make deb tarball" builds
    drop_system
}

for release in "${releases[@]}"; do
    made=$root
    [ "$release" = "$here" ] || made=$root/$release
    case $only in
    '')
        check_setup
        check_deb "$made"
        check_tarball "$made"
        ;;
    setup) check_setup ;;
    deb) check_deb "$made" ;;
    tarball) check_tarball "$made" ;;
    *) echo "check-packages.sh: '$only' is neither setup, deb nor tarball" >&2; exit 2 ;;
    esac
done
