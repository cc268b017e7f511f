#!/usr/bin/env python3
"""Prints the table in Sources/TermGraphics/ASCIICoverage.swift.

Each printable ASCII character is drawn in DejaVu Sans Mono in a cell of its advance by its line height, and the ink on each of
2x4 parts of the cell is counted, 0 (none) to 255 (all), left to right and top to bottom. Needs ImageMagick and the font.
"""
import subprocess

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
POINTS, WIDTH, HEIGHT = 66, 40, 76  # advance 0.602 em, line height 1.164 em


def coverage(character):
    text = "\\\\" if character == "\\" else "%%" if character == "%" else character
    text = text if character != "@" else "\\@"
    pixels = subprocess.run(
        ["convert", "-size", f"{WIDTH}x{HEIGHT}", "xc:black", "-font", FONT, "-pointsize", str(POINTS), "-fill", "white",
         "-gravity", "NorthWest", "-annotate", "+0+0", text, "-depth", "8", "gray:-"],
        check=True, capture_output=True).stdout
    across, down = WIDTH // 2, HEIGHT // 4
    return [
        sum(pixels[(y * down + row) * WIDTH + x * across + column] for row in range(down) for column in range(across))
        // (across * down)
        for y in range(4) for x in range(2)
    ]


for code in range(0x20, 0x7F):
    comment = "space" if code == 0x20 else chr(code)
    print("        " + ", ".join(str(part) for part in coverage(chr(code))) + f",  // {comment}")
