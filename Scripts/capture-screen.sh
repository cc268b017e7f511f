#!/bin/bash
# Makes docs/screen.png: flick in an xterm of 100×30 cells on a screen that nobody sees, the demo feed playing. Needs xvfb, xterm, imagemagick.
# Usage: Scripts/capture-screen.sh FLICK [PICTURE [KEYS …]]    (KEYS are typed first, by xdotool and named as there)
set -euo pipefail
flick=$(realpath "$1")
picture=$(realpath -m "${2:-$(dirname "$0")/../docs/screen.png}")
shift $(($# < 2 ? $# : 2))
folder=$(mktemp -d)
server='' terminal=''
finish() {
    [ -z "$terminal" ] || kill "$terminal" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT

# The server picks a free number and writes it to descriptor 3.
mkfifo "$folder/display"
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$folder/display" >/dev/null 2>&1 &
server=$!
read -r number <"$folder/display"
export DISPLAY=:$number

# COLORTERM: xterm shows 24-bit colours and its terminfo entry does not say so.
COLORTERM=truecolor LC_ALL=C.UTF-8 SDL_AUDIODRIVER=dummy xterm -geometry 100x30+0+0 -b 0 -bw 0 +sb -u8 \
    -fa 'DejaVu Sans Mono' -fs 11 -bg black -fg white -xrm 'XTerm*cursorBlink: false' -e "$flick" &
terminal=$!

# How many seconds the clip plays before each key, and before the picture.
pause=${PAUSE:-3}
sleep "$pause"
for key in "$@"; do
    xdotool key "$key"
    sleep 1
done
import -window root "$folder/root.png"
# The terminal's window alone, at 8 bits.
convert "$folder/root.png" -bordercolor black -trim +repage -depth 8 -define png:compression-level=9 "$folder/screen.png"
mv "$folder/screen.png" "$picture"
