#!/bin/bash
# Prints what built programs need of the Debian or Ubuntu it runs on, as fields of a control file: Depends, Recommends
# and Suggests. dpkg-shlibdeps finds the linked libraries; loaded-libraries.txt lists those loaded at run time.
# Usage: Scripts/dependencies.sh PROGRAM…
set -euo pipefail
list=$(dirname "$0")/loaded-libraries.txt
if ! command -v dpkg-shlibdeps > /dev/null; then
    echo "dependencies.sh: there is no dpkg-shlibdeps; install dpkg-dev" >&2
    exit 1
fi
programs=()
for program in "$@"; do programs+=("$(realpath "$program")"); done

# What flick runs if it is there, and the certificates that https takes.
declare -A fields=([Depends]='' [Recommends]='ca-certificates' [Suggests]='xdg-utils, yt-dlp')

# It reads debian/control of the folder that it runs in, and warns of what Swift links without need.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/debian"
printf 'Source: flick\n\nPackage: flick\nArchitecture: any\n' > "$folder/debian/control"
fields[Depends]=$(cd "$folder" && dpkg-shlibdeps -O "${programs[@]/#/-e}" 2> warnings | sed -n 's/^shlibs:Depends=//p')
[ -n "${fields[Depends]}" ] || { cat "$folder/warnings" >&2; exit 1; }

while read -r file field _; do
    case $file in '#'* | '') continue ;; esac
    [ "$field" != - ] || continue
    # Of several versions of a library, the programs name the one whose headers they were compiled with.
    grep -qF "$file" "${programs[@]}" || continue
    package=$(dpkg-query -S "*/$file" 2> /dev/null | sed 's/[:,].*//' | head -1)
    [ -n "$package" ] || { echo "dependencies.sh: no installed package has $file" >&2; exit 1; }
    fields[$field]+="${fields[$field]:+, }$package"
done < "$list"

for field in Depends Recommends Suggests; do echo "$field: ${fields[$field]}"; done
