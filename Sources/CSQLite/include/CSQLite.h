#ifndef FLICK_SQLITE_H
#define FLICK_SQLITE_H

#include <sqlite3.h>

/// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite copies the bytes that are bound.
static inline sqlite3_destructor_type flick_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// Makes a text in double quotes an error where no column has that name (https://www.sqlite.org/quirks.html#dblquote).
static inline void flick_sqlite_refuse_quoted_texts(sqlite3 *db) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

#endif
