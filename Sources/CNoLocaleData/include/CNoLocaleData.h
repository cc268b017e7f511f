// Nothing to call: linking this target into a program is what it does (see data.c).
