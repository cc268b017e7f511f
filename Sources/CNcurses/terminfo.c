#include "shim.h"

int flick_terminfo_load(const char *name, int fd) {
    int found = 0;
    return setupterm(name, fd, &found) == OK ? 1 : found > 0 ? 0 : found;
}

const char *flick_terminfo_string(const char *name) {
    const char *text = tigetstr(name);
    return text == (const char *)-1 ? NULL : text;
}

int flick_terminfo_number(const char *name) {
    int number = tigetnum(name);
    return number < 0 ? -1 : number;
}

const char *flick_terminfo_expand(const char *name, int parameter) {
    const char *text = flick_terminfo_string(name);
    return text ? tiparm(text, parameter) : NULL;
}

int flick_terminfo_flag(const char *name) { return tigetflag(name) == 1; }
