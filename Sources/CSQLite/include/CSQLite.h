#ifndef FLICK_SQLITE_H
#define FLICK_SQLITE_H

#include <sqlite3.h>

/// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite copies the bytes that are bound.
static inline sqlite3_destructor_type flick_sqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
