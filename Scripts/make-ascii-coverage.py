#!/usr/bin/env python3
"""Prints the table in Sources/TermGraphics/ASCIICoverage.swift.

Each printable ASCII character is drawn as terminals draw it, hinted, in DejaVu Sans Mono of 13 pixels in a cell of 8x16, and the ink on
each of 2x4 parts of the cell is averaged, 0 (none) to 255 (all), left to right and top to bottom. Needs Pillow and the font.
"""
from PIL import Image, ImageDraw, ImageFont

FONT = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", 13)
CELL = (8, 16)  # advance 0.602 em, line height 1.164 em
PARTS = (2, 4)


def coverage(character):
    cell = Image.new("L", CELL)
    ImageDraw.Draw(cell).text((0, 0), character, font=FONT, fill=255)
    return list(cell.resize(PARTS, Image.BOX).tobytes())


for code in range(0x20, 0x7F):
    comment = "space" if code == 0x20 else chr(code)
    print("        " + ", ".join(str(part) for part in coverage(chr(code))) + f",  // {comment}")
