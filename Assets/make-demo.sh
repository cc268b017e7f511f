#!/bin/bash
# Makes Assets/demo from nothing but ffmpeg's own generators: no downloads, no fonts. Needs ffmpeg with libx264 and its AAC encoder.
# Usage: Assets/make-demo.sh [NAME …]    (all of them without a name; some nine minutes of processor time)
#        Assets/make-demo.sh avatars      (the creators' pictures alone; a second)
#
# Every picture is a function of place and time with the clip's length as its period, so that clips loop without a seam. Most are computed small and
# scaled up: they are soft, and geq is slow. Every clip has a colour and a drone of its own, by which tests tell them apart.
set -euo pipefail
cd "$(dirname "$0")/demo"

D=12                                   # seconds, of all clips
W="(2*PI*T/$D)"                        # one turn a clip
x264=(-c:v libx264 -preset slower -crf 26 -maxrate 700k -bufsize 1400k -profile:v high -pix_fmt yuv420p)
aac=(-c:a aac -b:a 64k -ac 2 -ar 48000)
exact=(-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1 -movflags +faststart)
quiet=(-hide_banner -loglevel error -nostdin -y)

# picture SIZE RATE RED GREEN BLUE: a lavfi source. x and y run from 0 to 1, w is the turn.
picture() {
    local colour
    for colour in "$3" "$4" "$5"; do printf '%s\n' "$colour"; done | sed -e "s#\bx\b#(X/W)#g" -e "s#\by\b#(Y/H)#g" -e "s#\bw\b#$W#g" | {
        read -r red; read -r green; read -r blue
        printf "color=black:s=%s:r=%s:d=%s,format=gbrp,geq=r='clip(%s,0,255)':g='clip(%s,0,255)':b='clip(%s,0,255)'" "$1" "$2" "$D" "$red" "$green" "$blue"
    }
}

# sound HERTZ A B C D: a drone, and above it an arpeggio of four notes, given as twelfths of an octave over the drone's own octave.
sound() {
    local step="mod(floor(2*t)\,4)" note="mod(t\,0.5)"
    local ratio="pow(2\,(if(eq($step\,0)\,$2\,if(eq($step\,1)\,$3\,if(eq($step\,2)\,$4\,$5))))/12)"
    printf "aevalsrc=exprs='0.20*sin(2*PI*%s*t)+0.16*min(1\,60*%s)*exp(-5*%s)*sin(2*PI*%s*2*%s*%s)':s=48000:d=%s" \
        "$1" "$note" "$note" "$1" "$ratio" "$note" "$D"
}

# clip NAME RATE PICTURE FILTER SOUND [ffmpeg options]
clip() {
    local name=$1 rate=$2 picture=$3 filter=$4 sound=$5
    shift 5
    ffmpeg "${quiet[@]}" -f lavfi -i "$picture" -f lavfi -i "$sound" -vf "$filter,format=yuv420p" -r "$rate" \
        "${x264[@]}" -g 30 "${aac[@]}" -t $D "${exact[@]}" "$@" "$name.mp4"
}

aurora() {
    local curtain="exp(-pow((y-0.42-0.10*sin(6.283*x+w)-0.05*sin(18.85*x-2*w))*(4+1.5*sin(12.57*x+w)),2))*(0.72+0.28*sin(31.4*x+3*sin(w)+2*sin(9*x-w)))"
    local hill="gt(y,0.86+0.05*sin(7*x+1)+0.02*sin(19*x))"
    clip aurora 30 "$(picture 144x256 30 "if($hill,4,12+70*pow($curtain,3)+20*y)" "if($hill,16,24+205*($curtain))" "if($hill,18,46+95*($curtain)+24*y)")" \
        "scale=720:1280:flags=bicubic" "$(sound 220 0 7 12 16)"
}

market() {
    local lantern="exp(-22*(pow(mod(3*x+0.18*sin(w+floor(5*y)),1)-0.5,2)+pow(mod(5*y,1)-0.5-0.10*sin(w+2*floor(3*x)),2)*1.3))*(0.72+0.28*sin(3*w+2.4*floor(5*y)+1.7*floor(3*x)))"
    local far="0.35*exp(-26*(pow(mod(7*x+sin(w),1)-0.5,2)+pow(mod(11*y+0.4*x,1)-0.5,2)))"
    clip market 30 "$(picture 144x256 30 "70+185*min(1,($lantern)+($far))" "14+165*pow(($lantern)+0.5*($far),1.7)" "22+90*pow(($lantern),3)")" \
        "scale=720:1280:flags=bicubic" "$(sound 262 0 4 7 9)"
}

ocean() {
    local swell="0.035*sin(9*x+w)+0.02*sin(23*x-2*w)"
    local sea="(0.5+0.5*sin(70*pow(max(y-0.34,0.0001),0.55)+6*sin(5*x+w)-3*w+2*sin(17*x)))"
    local sky="lt(y,0.36+0.4*($swell))"
    clip ocean 30 "$(picture 256x144 30 "if($sky,70+150*y,6+60*$sea*$sea)" "if($sky,120+190*y,60+90*$sea)" "if($sky,205+90*y,150+90*$sea)")" \
        "scale=1280:720:flags=bicubic" "$(sound 165 0 3 7 10)"
}

bloom() {
    local v="(sin(9*(x-0.5)+w)+sin(9*(y-0.5)-w)+sin(12*hypot(x-0.5-0.2*sin(w),y-0.5-0.2*cos(w)))+sin(7*(x+y)+2*w))/4"
    clip bloom 30 "$(picture 160x160 30 "205+50*$v" "34+60*(0.5+0.5*sin(4*$v))" "150+80*sin(3*$v+1)")" \
        "scale=720:720:flags=bicubic" "$(sound 294 0 5 9 12)"
}

# 17 pictures a second: no multiple of anything. There and back again, so that it loops.
gold() {
    clip gold 17 "mandelbrot=s=360x640:r=17:start_x=-0.743643887037151:start_y=-0.131825904205330:start_scale=1.6:end_scale=0.02:end_pts=102:maxiter=300,trim=duration=6" \
        "format=gray,gblur=1,format=gbrp,lutrgb=r='36+215*pow(val/255\,0.55)':g='22+170*pow(val/255\,0.8)':b='4+60*pow(val/255\,2)',split[a][b];[b]reverse[c];[a][c]concat=n=2,scale=720:1280:flags=bicubic" \
        "$(sound 330 0 4 7 11)" -crf 31
}

# Without a sound track.
snow() {
    ffmpeg "${quiet[@]}" -f lavfi -i "life=s=45x80:r=5:seed=7:ratio=0.28:mold=12:life_color=0xFFFFFF:mold_color=0x9EC4DC:death_color=0x5F8CB0" \
        -vf "scale=720:1280:flags=bicubic,gblur=9,framerate=fps=30,format=yuv420p" \
        "${x264[@]}" -crf 31 -g 30 -an -t $D "${exact[@]}" snow.mp4
}

# Coded lying on its side; the container says that it stands.
sunrise() {
    local sun="exp(-26*(pow(x-0.5,2)+pow((y-0.46-0.10*cos(w))*1.7,2)))"
    local water="(0.5+0.5*sin(120*(y-0.62)+9*sin(5*x+w)-6*w))"
    local sea="gt(y,0.62)"
    clip upright 30 "$(picture 144x256 30 "if($sea,180+60*$water*exp(-16*pow(x-0.5,2)),215+40*$sun)" "if($sea,72+110*$water*exp(-20*pow(x-0.5,2)),96+70*y+130*$sun)" "if($sea,92+20*$water,128-70*y+120*pow($sun,2))")" \
        "scale=720:1280:flags=bicubic,transpose=clock" "$(sound 392 0 4 7 12)"
    # Turned a quarter counter-clockwise when shown. The option is FFmpeg 6's; 5.1 knows the tag, which it writes the same way round.
    if ffmpeg -hide_banner -h full 2>/dev/null | grep -q display_rotation; then
        ffmpeg "${quiet[@]}" -display_rotation 90 -i upright.mp4 -c copy "${exact[@]}" sunrise.mp4
    else
        ffmpeg "${quiet[@]}" -i upright.mp4 -c copy "${exact[@]}" -metadata:s:v:0 rotate=90 sunrise.mp4
    fi
    rm upright.mp4
}

# 540 × 1280 pixels, each a third wider than high: shown as 720 × 1280.
moss() {
    local fall="pow(0.5+0.5*sin(44*x+5*sin(6*x)),3)*(0.5+0.5*sin(6.283*(2*y+0.5*sin(9*x))-3*w+11*sin(13*x)))"
    clip moss 30 "$(picture 144x256 30 "46+120*($fall)+20*sin(3*y+w)" "112+130*($fall)+20*sin(4*x-w)" "16+50*($fall)")" \
        "scale=540:1280:flags=bicubic,setsar=4/3" "$(sound 196 0 7 9 14)"
}

ripple() {
    local v="(sin(46*hypot(x-0.5,(y-0.3)*1.78)-4*w)*exp(-2*hypot(x-0.5,y-0.3))+0.8*sin(38*hypot(x-0.2,(y-0.8)*1.78)-3*w)*exp(-2*hypot(x-0.2,y-0.8)))"
    clip ripple 24000/1001 "$(picture 144x256 24000/1001 "104+75*$v" "106+76*$v" "110+78*$v")" \
        "scale=720:1280:flags=bicubic" "$(sound 131 0 7 15 19)"
}

# HLS, video on demand: a master playlist with three variants.
abyss() {
    local r="hypot(x-0.5,(y-0.5)*1.78)"
    local v="(0.5+0.5*sin(3/($r+0.12)+2*w)*cos(5*atan2(y-0.5,x-0.5)+4*$r-w))*min(1,4*$r)"
    mkdir -p abyss
    rm -f abyss/*
    ffmpeg "${quiet[@]}" -f lavfi -i "$(picture 144x256 30 "40+105*$v" "10+52*$v*$v" "96+150*$v")" -f lavfi -i "$(sound 147 0 3 7 14)" \
        -filter_complex "[0:v]split=3[a][b][c];[a]scale=360:640:flags=bicubic,format=yuv420p[v0];[b]scale=540:960:flags=bicubic,format=yuv420p[v1];[c]scale=720:1280:flags=bicubic,format=yuv420p[v2]" \
        -map '[v0]' -map '[v1]' -map '[v2]' -map 1:a -map 1:a -map 1:a \
        -c:v libx264 -preset slower -crf 28 -pix_fmt yuv420p -g 60 -keyint_min 60 -sc_threshold 0 \
        -maxrate:v:0 180k -bufsize:v:0 360k -maxrate:v:1 320k -bufsize:v:1 640k -maxrate:v:2 560k -bufsize:v:2 1120k \
        "${aac[@]}" -b:a 48k -t $D -fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1 \
        -f hls -hls_time 4 -hls_playlist_type vod -hls_segment_filename 'abyss/%v-%d.ts' -master_pl_name master.m3u8 \
        -var_stream_map 'v:0,a:0 v:1,a:1 v:2,a:2' 'abyss/%v.m3u8'
}

still() {
    local from=$1.mp4
    [ "$1" != abyss ] || from=abyss/2.m3u8
    ffmpeg "${quiet[@]}" -ss 0.1 -i "$from" -frames:v 1 -vf "scale=iw*sar:ih,scale=320:320:force_original_aspect_ratio=decrease,setsar=1" \
        -q:v 5 -fflags +bitexact -flags:v +bitexact -map_metadata -1 "$1.jpg"
}

# avatar NAME RED GREEN BLUE: a picture of 64 × 64 pixels, of few bold shapes that can still be told apart at 4 × 4. x and y run from 0 to 1, r is the
# distance from the middle.
avatar() {
    local colour planes=()
    for colour in "${@:2}"; do
        planes+=("$(sed -e "s#\br\b#hypot(x-0.5,y-0.5)#g" -e "s#\bx\b#(X/W)#g" -e "s#\by\b#(Y/H)#g" <<<"$colour")")
    done
    ffmpeg "${quiet[@]}" -f lavfi \
        -i "color=black:s=256x256:r=1,format=gbrp,geq=r='${planes[0]}':g='${planes[1]}':b='${planes[2]}',scale=64:64:flags=area" \
        -frames:v 1 -q:v 4 -fflags +bitexact -flags:v +bitexact -map_metadata -1 "avatar-$1.jpg"
}

avatars() {
    local moon="lt(hypot(x-0.64,y-0.32),0.17)" hill="gt(y,0.66-0.12*sin(4*x+0.3))"
    avatar ilma "if($hill,236,if($moon,255,16))" "if($hill,244,if($moon,238,44+90*y))" "if($hill,250,if($moon,170,92+60*y))"
    local bowl="gt(y,0.5)*lt(hypot(x-0.5,y-0.5),0.36)" steam="lt(abs(x-0.5+0.05*sin(22*y)),0.045)*lt(y,0.42)*gt(y,0.14)"
    avatar wen "if($bowl,150,if($steam,255,248))" "if($bowl,24,if($steam,250,166))" "if($bowl,28,if($steam,235,50))"
    local wave="gt(y,0.52+0.13*sin(8*x))" foam="lt(abs(y-0.52-0.13*sin(8*x)),0.05)"
    avatar marisol "if($foam,255,if($wave,8,250))" "if($foam,255,if($wave,116,206))" "if($foam,255,if($wave,140,160))"
    avatar half "if(gt(x+y,1),28,236)" "if(gt(x+y,1),20,56)" "if(gt(x+y,1),44,150)"
    local u="(2.3*x-1.45)" v="(2.3*y-1.15)"
    local p="hypot($u-0.25,$v)"
    local in="if(lt($u,$p-2*$p*$p+0.25)+lt(hypot($u+1,$v),0.25),1,0)"
    avatar bb "if($in,30,240-40*y)" "if($in,20,186-50*y)" "if($in,10,40)"
    local sun="lt(hypot(x-0.5,y-0.6),0.26)*lt(y,0.6)" sea="gt(y,0.6)"
    avatar nour "if($sun,255,if($sea,40,238))" "if($sun,214,if($sea,62,110))" "if($sun,70,if($sea,112,120))"
    local leaf="lt(hypot(x-0.2,y-0.5),0.46)*lt(hypot(x-0.8,y-0.5),0.46)" rib="lt(abs(x-0.5),0.025)"
    avatar koke "if($leaf,if($rib,60,176),34)" "if($leaf,if($rib,110,222),82)" "if($leaf,if($rib,40,90),42)"
    local eye="lt(hypot(x-0.5,y-0.16),0.5)*lt(hypot(x-0.5,y-0.84),0.5)" pupil="lt(r,0.14)"
    avatar truth "if($pupil,16,if($eye,246,104))" "if($pupil,16,if($eye,246,108))" "if($pupil,20,if($eye,240,116))"
    local port="lt(r,0.32)" rim="lt(r,0.42)"
    avatar halcyon "if($port,90+140*x,if($rim,190,12))" "if($port,220,if($rim,140,20))" "if($port,235,if($rim,60,66))"
}

names=("$@")
[ "$*" != avatars ] || { avatars && exit; }
[ $# -gt 0 ] || avatars
[ $# -gt 0 ] || names=(aurora market ocean bloom gold snow sunrise moss ripple abyss)
for name in "${names[@]}"; do
    "$name"
    still "$name"
done
du -sh .
