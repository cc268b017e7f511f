#ifndef FLICK_CVERSION_H
#define FLICK_CVERSION_H

/// The commit that an installed flick was built from; empty in one that was not installed.
const char *flick_commit(void);

#endif
