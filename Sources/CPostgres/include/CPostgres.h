#ifndef FLICK_POSTGRES_H
#define FLICK_POSTGRES_H

#include <stddef.h>

// PostgreSQL's client library, as much of it as flick needs. On Linux it is loaded when a server's database is one of
// PostgreSQL: linked in, it would bring some twenty libraries (Kerberos, LDAP, OpenSSL) into every server. One thread
// at a time may use a connection; all else any thread may call.

/// A connection, and what a statement came to.
typedef struct flick_postgres flick_postgres;
typedef struct flick_postgres_result flick_postgres_result;

/// Loads the library. Returns 0, or -1: `flick_postgres_load_error` says why.
int flick_postgres_load(void);
const char *flick_postgres_load_error(void);

// All below only once it is loaded.

/// What an address (postgres://… or postgresql://…, libpq 34.1.1.2) says of an option: "host", "password". Writes at
/// most `size` bytes, NUL included. Returns the text's length, 0 if it says nothing, or -1 if it is no such address.
long flick_postgres_option(const char *url, const char *name, char *text, size_t size);

/// Connects, for some 5 s at most unless the address says otherwise. NULL if memory is exhausted;
/// otherwise `flick_postgres_is_open` returns whether it succeeded.
flick_postgres *flick_postgres_open(const char *url, const char *name);
void flick_postgres_close(flick_postgres *connection);
int flick_postgres_is_open(const flick_postgres *connection);
/// Why the last call with this connection failed. Valid until the next call.
const char *flick_postgres_error(const flick_postgres *connection);
/// A parameter that the server reports, such as "server_encoding"; or NULL.
const char *flick_postgres_parameter(const flick_postgres *connection, const char *name);

/// Runs statements without parameters, separated by ";". Returns the last one's result, or that of the first that
/// failed; NULL if no answer came within `milliseconds` or the connection is lost: it is of no more use then.
flick_postgres_result *flick_postgres_run(flick_postgres *connection, const char *statements, int milliseconds);
/// Prepares a statement under a name, and runs it with text parameters (NULL is NULL). As above.
flick_postgres_result *flick_postgres_prepare(
    flick_postgres *connection, const char *name, const char *statement, int milliseconds);
flick_postgres_result *flick_postgres_execute(
    flick_postgres *connection, const char *name, int count, const char *const *values, int milliseconds);

void flick_postgres_clear(flick_postgres_result *result);
int flick_postgres_succeeded(const flick_postgres_result *result);
/// The code of what failed (PostgreSQL, appendix A), or NULL; and its text.
const char *flick_postgres_state(const flick_postgres_result *result);
const char *flick_postgres_message(const flick_postgres_result *result);
int flick_postgres_rows(const flick_postgres_result *result);
/// A value as text; NULL for NULL.
const char *flick_postgres_value(const flick_postgres_result *result, int row, int column);

#endif
