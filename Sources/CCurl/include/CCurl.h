#ifndef FLICK_CURL_H
#define FLICK_CURL_H

#include <stddef.h>
#include <stdint.h>

// HTTP by libcurl's multi interface (libcurl-multi(3), curl_multi_socket_action(3)). On Linux the library is loaded
// with the first request. Transfers of a client and all calls belong to one thread, on which the callbacks run.

/// How many bytes a transfer reads at a time. While it is paused, it holds up to that many.
enum { flick_curl_buffer_size = 32768 };

/// Transfers, and the connections that they share.
typedef struct flick_curl flick_curl;
/// One request and its response.
typedef struct flick_curl_transfer flick_curl_transfer;

/// How a transfer ended.
typedef enum {
    FLICK_CURL_DONE,
    FLICK_CURL_NO_SUCH_HOST,
    /// `error` is the errno of the last attempt, or 0.
    FLICK_CURL_NOT_CONNECTED,
    /// Connecting took longer than the limit.
    FLICK_CURL_CONNECT_TIMEOUT,
    /// The proxy is unknown, does not respond as one, or refuses.
    FLICK_CURL_PROXY_FAILED,
    FLICK_CURL_BAD_CERTIFICATE,
    /// The certificate is another host's.
    FLICK_CURL_OTHER_HOST,
    FLICK_CURL_NO_HANDSHAKE,
    /// The file of authorities cannot be read.
    FLICK_CURL_NO_AUTHORITIES,
    FLICK_CURL_NOT_HTTP,
    FLICK_CURL_BAD_URL,
    /// The connection ended before the response.
    FLICK_CURL_DROPPED,
    /// A callback ended it.
    FLICK_CURL_REFUSED,
    FLICK_CURL_NO_MEMORY,
} flick_curl_end_kind;

/// What a client calls. None but `ended` may call back into the client or its transfers.
typedef struct {
    /// `socket` is to be watched; neither reading nor writing: no more.
    void (*watch)(void *client, int socket, int reads, int writes);
    /// `flick_curl_act` wants to be called with socket -1 after this time, which replaces any before; negative: never.
    void (*set_timer)(void *client, long milliseconds);
    /// Whether a transfer may use a connection to this address, such as "192.0.2.1". Called before connecting, and
    /// before a request is sent.
    int (*may_connect)(void *transfer, const char *address);
    /// A line of a head, with its line end: status lines, fields, the empty line, trailers. Returns 0; 1 if the
    /// connection is not to be used again; or -1 to refuse.
    int (*line)(void *transfer, const char *bytes, size_t count);
    /// Bytes of the body, 16 KB at most. Returns 0; or 1 to pause, and get the same bytes again after
    /// `flick_curl_resume`.
    int (*body)(void *transfer, const uint8_t *bytes, size_t count);
    /// The last call of a transfer, which may release it.
    void (*ended)(void *transfer, flick_curl_end_kind kind, int error);
} flick_curl_calls;

/// Loads the library. Returns 0, or -1: it is missing or too old. Blocks for some milliseconds the first time. Any
/// thread.
int flick_curl_load(void);
/// What `flick_curl_load` found: "libcurl 7.88.1, OpenSSL/3.0.15", or why it cannot be used. Any thread, afterwards.
const char *flick_curl_found(void);

/// `calls` must outlive the client. NULL if there is no memory. Only once the library is loaded, as all below.
flick_curl *flick_curl_open(const flick_curl_calls *calls, void *context, long connections_per_host);
/// Closes all connections, without waiting. All transfers must have been released.
void flick_curl_close(flick_curl *client);
/// A watched socket is ready, or with socket -1 the time has come.
void flick_curl_act(flick_curl *client, int socket, int can_read, int can_write);

/// A transfer, which is not begun yet. NULL if there is no memory. Texts are copied.
flick_curl_transfer *flick_curl_prepare(flick_curl *client, void *context, const char *url, int is_secure);
/// - is_idempotent: whether a connection that has been used may be used again: if it breaks before the response, the
///   request is repeated.
/// - content: NULL if the request has none.
void flick_curl_set_method(
    flick_curl_transfer *transfer, const char *name, int is_idempotent, const uint8_t *content, size_t count);
/// Adds "name: value". No other fields are sent except those HTTP requires.
void flick_curl_add_field(flick_curl_transfer *transfer, const char *name, const char *value);
void flick_curl_set_timeout(flick_curl_transfer *transfer, long connect_milliseconds);
/// - url: "http://host:port" or "socks5h://host:port". Without this call, no proxy is used.
void flick_curl_set_proxy(
    flick_curl_transfer *transfer, const char *url, const char *user, const char *password);
/// A file in place of the system's authorities, and folders in addition, separated by colons; each may be NULL.
void flick_curl_set_authorities(flick_curl_transfer *transfer, const char *file, const char *folders);
/// Returns 0; or -1 if there is no memory, or the library lacks a feature. Calls nothing but `set_timer`.
int flick_curl_begin(flick_curl_transfer *transfer);
/// The socket of a transfer whose response has begun, if it shares it with no other: -1 in HTTP/2.
int flick_curl_own_socket(const flick_curl_transfer *transfer);
/// Continues after a pause. May call `body`.
void flick_curl_resume(flick_curl_transfer *transfer);
/// Ends the transfer if it has not ended, without a call, and frees it.
void flick_curl_release(flick_curl_transfer *transfer);

#endif
