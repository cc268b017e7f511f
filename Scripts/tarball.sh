#!/bin/bash
# Makes a relocatable tarball in .build/packages, which takes the FFmpeg that flick-decoder was linked with.
# Usage: make tarball                 (VERSION, COMMIT: see Makefile)
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
version=${VERSION:?} commit=${COMMIT:-}
[ "$(uname)" = Linux ] || { echo "tarball.sh: tarballs are made on Linux" >&2; exit 1; }
command -v objdump > /dev/null || { echo "tarball.sh: there is no objdump; install binutils" >&2; exit 1; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}

header=$(pkg-config --variable=includedir libavutil)/libavutil/ffversion.h
ffmpeg=$(sed -nE 's/.*FFMPEG_VERSION "n?([0-9]+\.[0-9]+).*/\1/p' "$header")
[ -n "$ffmpeg" ] || { echo "tarball.sh: $header does not say which FFmpeg this is" >&2; exit 1; }
name=flick-$version-linux-$(uname -m)-ffmpeg${ffmpeg%%.*}

stage=.build/packages/tarball
rm -rf "$stage"
mkdir -p "$stage"
# `make tarball` has built it.
make -s -o build install DESTDIR="$stage/$name" PREFIX='' COMMIT="$commit"
programs=("$stage/$name/bin/flick" "$stage/$name"/libexec/flick/*)
install -m 644 LICENSE CHANGELOG.md "$stage/$name"
Scripts/notices.sh > "$stage/$name/THIRD-PARTY-NOTICES"

# What a program is linked with.
needed() { objdump -p "$1" | awk '/NEEDED/ { print $2 }'; }
listed() { sort -u | grep -v "$1" | sed 's/^/    /'; }
system='^\(libc\|libm\|libgcc_s\|libstdc++\|ld-linux.*\)\.so'
# Short relocations came with glibc 2.36.
glibc=$(for program in "${programs[@]}"; do objdump -p "$program"; done | sed 's/GLIBC_ABI_DT_RELR/GLIBC_2.36/' |
    grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
{
    cat << END
flick $version${commit:+ ($commit)} for Linux, $(uname -m)

Run bin/flick. The folder can be moved, and linked to: ln -s "\$PWD/bin/flick" ~/.local/bin/

It takes glibc ${glibc#GLIBC_} or newer, and FFmpeg $ffmpeg or another version with these libraries:

$(needed "$stage/$name/libexec/flick/flick-decoder" | grep -E '^lib(av|sw)' | listed "$system")

Other libraries that have to be installed:

$(for program in "${programs[@]}"; do needed "$program"; done | grep -vE '^lib(av|sw)' | listed "$system")

Libraries that are loaded when they are first needed:

$(while read -r file field reason; do
        case $file in '#'* | '') continue ;; esac
        [ "$field" = - ] || ! grep -qF "$file" "${programs[@]}" || printf '    %-20s %s\n' "$file" "$reason"
    done < Scripts/loaded-libraries.txt)

END
    if command -v dpkg-shlibdeps > /dev/null; then
        # shellcheck source=/dev/null
        . /etc/os-release
        echo "All of them, on $PRETTY_NAME (not FFmpeg $ffmpeg on other releases):"
        echo
        echo "    apt-get install $(Scripts/dependencies.sh "${programs[@]}" | sed -n 's/^Depends: \|^Recommends: //p' |
            sed -E 's/ \([^)]*\)//g; s/ \|[^,]*//g; s/,//g' | tr '\n' ' ')"
        echo
    fi
    echo "\`bin/flick doctor\` shows what is missing. The manual is in share/man/man1 and share/doc/flick/user."
} > "$stage/$name/README"

tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cJf \
    ".build/packages/$name.tar.xz" "$name"
echo ".build/packages/$name.tar.xz: $(du -k --apparent-size ".build/packages/$name.tar.xz" | cut -f 1) kB," \
    "unpacked $(du -k -s --apparent-size "$stage/$name" | cut -f 1) kB"
rm -rf "$stage"
