#!/bin/bash
# Makes a Debian package in .build/packages. It is for the release of Debian or Ubuntu that it was made on, as libraries
# have other names in others.
# Usage: make deb [REVISION=1]       (VERSION, COMMIT: see Makefile)
# DEBFULLNAME and DEBEMAIL name the maintainer, as for Debian's own tools.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
version=${VERSION:?} commit=${COMMIT:-} revision=${REVISION:-1}
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" > /dev/null || { echo "deb.sh: there is no $tool; install dpkg-dev" >&2; exit 1; }
done
# shellcheck source=/dev/null
. /etc/os-release
release=${ID/debian/deb}${VERSION_ID:-$VERSION_CODENAME}
architecture=$(dpkg --print-architecture)
full=$version-$revision~$release
maintainer="${DEBFULLNAME:-the flick authors} <${DEBEMAIL:-flick@example.org}>"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH

stage=.build/packages/deb
rm -rf "$stage"
mkdir -p "$stage/DEBIAN"
# `make deb` has built it.
make -s -o build install DESTDIR="$stage" PREFIX=/usr ZSH_COMPLETIONS=share/zsh/vendor-completions \
    COMMIT="$commit"

doc=$stage/usr/share/doc/flick
install -m 644 Assets/debian/copyright "$doc/copyright"
install -D -m 644 Assets/debian/lintian-overrides "$stage/usr/share/lintian/overrides/flick"
# Completions are read, not run.
sed -i '1{/^#!/d}' "$stage/usr/share/bash-completion/completions/flick"
Scripts/notices.sh | gzip -9n > "$doc/third-party-notices.gz"
gzip -9n < CHANGELOG.md > "$doc/changelog.gz"
gzip -9n > "$doc/changelog.Debian.gz" << END
flick ($full) ${VERSION_CODENAME:-unstable}; urgency=medium

  * Version $version${commit:+, commit $commit}, for $PRETTY_NAME.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
gzip -9n "$stage/usr/share/man/man1/flick.1"

cat > "$stage/DEBIAN/control" << END
Package: flick
Version: $full
Section: video
Priority: optional
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size --exclude=DEBIAN "$stage" | cut -f 1)
$(Scripts/dependencies.sh "$stage/usr/bin/flick" "$stage"/usr/libexec/flick/*)
Description: full-screen vertical video feed for the terminal
 flick plays clips one at a time on the whole terminal, with audio: folders,
 podcasts, RSS, PeerTube, Mastodon, live streams and what yt-dlp supports.
 Press the down arrow and the next clip is already playing.
 .
 It draws in pixels (kitty, sixel) or in blocks, whichever the terminal
 supports. Media is decoded in sandboxed processes. "flick serve" shares a
 folder as a feed.
END
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
chmod 644 "$stage/DEBIAN/md5sums" "$stage/DEBIAN/control"
find "$stage" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=.build/packages/flick_${full}_$architecture.deb
dpkg-deb --root-owner-group --build "$stage" "$package" > /dev/null
echo "$package: $(du -k --apparent-size "$package" | cut -f 1) kB," \
    "installed $(sed -n 's/^Installed-Size: //p' "$stage/DEBIAN/control") kB"
rm -rf "$stage"
