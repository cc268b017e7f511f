#include "CPostgres.h"

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LOADED_TABLE pq
#define LOADED_PREFIX PQ
#define LOADED_NAME "libpq"
// It has kept this name since PostgreSQL 8.2.
#define LOADED_FILE "libpq.so.5"
#define LOADED_FUNCTIONS(each) \
    each(clear) each(conninfoFree) each(conninfoParse) each(connectdbParams) each(consumeInput) \
    each(errorMessage) each(finish) each(flush) each(freemem) each(getResult) each(getisnull) each(getvalue) \
    each(isBusy) each(ntuples) each(parameterStatus) each(resultErrorField) each(resultErrorMessage) \
    each(resultStatus) each(sendPrepare) each(sendQuery) each(sendQueryPrepared) each(setnonblocking) \
    each(socket) each(status)
#include "loaded_library.h"

int flick_postgres_load(void) { return load_library(); }

const char *flick_postgres_load_error(void) { return load_error; }

static PGconn *connection_of(const flick_postgres *connection) { return (PGconn *)connection; }
static const PGresult *result_of(const flick_postgres_result *result) { return (const PGresult *)result; }

long flick_postgres_option(const char *url, const char *name, char *text, size_t size) {
    // Anything else libpq takes for the name of a database.
    if (strncmp(url, "postgres://", 11) != 0 && strncmp(url, "postgresql://", 13) != 0) return -1;
    char *error = NULL;
    PQconninfoOption *options = pq.conninfoParse(url, &error);
    if (options == NULL) {
        // It may quote the password.
        pq.freemem(error);
        return -1;
    }
    long length = 0;
    for (PQconninfoOption *option = options; option->keyword != NULL; option++) {
        if (strcmp(option->keyword, name) != 0 || option->val == NULL) continue;
        length = (long)strlen(option->val);
        snprintf(text, size, "%s", option->val);
    }
    pq.conninfoFree(options);
    return length;
}

flick_postgres *flick_postgres_open(const char *url, const char *name) {
    // Later ones win, so that the address may say otherwise.
    const char *const names[] = {"fallback_application_name", "connect_timeout", "tcp_user_timeout", "keepalives_idle",
                                 "dbname", "client_encoding", NULL};
    const char *const values[] = {name, "5", "10000", "30", url, "UTF8", NULL};
    PGconn *connection = pq.connectdbParams(names, values, 1);
    if (connection != NULL && pq.status(connection) == CONNECTION_OK) pq.setnonblocking(connection, 1);
    return (flick_postgres *)connection;
}

void flick_postgres_close(flick_postgres *connection) { pq.finish(connection_of(connection)); }

int flick_postgres_is_open(const flick_postgres *connection) {
    return pq.status(connection_of(connection)) == CONNECTION_OK;
}

const char *flick_postgres_error(const flick_postgres *connection) {
    return pq.errorMessage(connection_of(connection));
}

const char *flick_postgres_parameter(const flick_postgres *connection, const char *name) {
    return pq.parameterStatus(connection_of(connection), name);
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Waits until the connection is ready. Returns 0 on timeout.
static int wait_for(PGconn *connection, short events, long deadline) {
    struct pollfd source = {.fd = pq.socket(connection), .events = events};
    for (;;) {
        long rest = deadline - now();
        if (rest <= 0) return 0;
        int count = poll(&source, 1, (int)rest);
        if (count > 0) return 1;
        if (count < 0 && errno != EINTR) return 0;
    }
}

/// Sends what waits to be sent, and gathers the answers up to the last.
static flick_postgres_result *answer(PGconn *connection, int was_queued, int milliseconds) {
    if (!was_queued) return NULL;
    long deadline = now() + milliseconds;
    int rest;
    while ((rest = pq.flush(connection)) > 0) {
        // The server may want to be read from first.
        if (!wait_for(connection, POLLIN | POLLOUT, deadline) || !pq.consumeInput(connection)) return NULL;
    }
    if (rest < 0) return NULL;
    PGresult *kept = NULL;
    for (;;) {
        while (pq.isBusy(connection)) {
            if (!wait_for(connection, POLLIN, deadline) || !pq.consumeInput(connection)) {
                pq.clear(kept);
                return NULL;
            }
        }
        PGresult *next = pq.getResult(connection);
        if (next == NULL) break;
        ExecStatusType status = kept == NULL ? PGRES_COMMAND_OK : pq.resultStatus(kept);
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
            pq.clear(kept);
            kept = next;
        } else {
            pq.clear(next);
        }
    }
    if (pq.status(connection) != CONNECTION_OK) {
        pq.clear(kept);
        return NULL;
    }
    return (flick_postgres_result *)kept;
}

flick_postgres_result *flick_postgres_run(flick_postgres *connection, const char *statements, int milliseconds) {
    PGconn *it = connection_of(connection);
    return answer(it, pq.sendQuery(it, statements), milliseconds);
}

flick_postgres_result *flick_postgres_prepare(
    flick_postgres *connection, const char *name, const char *statement, int milliseconds) {
    PGconn *it = connection_of(connection);
    return answer(it, pq.sendPrepare(it, name, statement, 0, NULL), milliseconds);
}

flick_postgres_result *flick_postgres_execute(
    flick_postgres *connection, const char *name, int count, const char *const *values, int milliseconds) {
    PGconn *it = connection_of(connection);
    return answer(it, pq.sendQueryPrepared(it, name, count, values, NULL, NULL, 0), milliseconds);
}

void flick_postgres_clear(flick_postgres_result *result) { pq.clear((PGresult *)result); }

int flick_postgres_succeeded(const flick_postgres_result *result) {
    ExecStatusType status = pq.resultStatus(result_of(result));
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

const char *flick_postgres_state(const flick_postgres_result *result) {
    return pq.resultErrorField(result_of(result), PG_DIAG_SQLSTATE);
}

const char *flick_postgres_message(const flick_postgres_result *result) {
    return pq.resultErrorMessage(result_of(result));
}

int flick_postgres_rows(const flick_postgres_result *result) { return pq.ntuples(result_of(result)); }

const char *flick_postgres_value(const flick_postgres_result *result, int row, int column) {
    const PGresult *it = result_of(result);
    return pq.getisnull(it, row, column) ? NULL : pq.getvalue(it, row, column);
}
