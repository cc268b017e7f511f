#ifndef FLICK_TLS_H
#define FLICK_TLS_H

#include <stddef.h>

// The part of OpenSSL that a server of TLS 1.2 and 1.3 needs (RFC 5246, RFC 8446): sessions between bytes in memory,
// which the caller moves from and to the connection. On Linux it is loaded when a server is first started with a
// certificate.

/// Loads the library. Returns 0, or -1: `flick_tls_load_error` says why.
int flick_tls_load(void);
const char *flick_tls_load_error(void);

// The rest only once it is loaded. Nothing blocks but `flick_tls_context_new`, which reads files.

/// A server's certificate and key. Any thread may make sessions of it, also several at once.
typedef struct flick_tls_context flick_tls_context;
/// One connection's TLS. One thread at a time.
typedef struct flick_tls flick_tls;

/// Two files in PEM: the certificate with those that lead to its authority, and its key without a passphrase.
///
/// Returns NULL if they cannot be used, with the reason in `error`, which holds `limit` bytes.
flick_tls_context *flick_tls_context_new(const char *certificate, const char *key, char *error, size_t limit);
void flick_tls_context_free(flick_tls_context *context);

/// NULL without memory.
flick_tls *flick_tls_new(flick_tls_context *context);
void flick_tls_free(flick_tls *tls);

/// Bytes that have arrived. They are copied. Returns 0, or -1 without memory.
int flick_tls_arrived(flick_tls *tls, const void *bytes, size_t count);

enum {
    /// Nothing more can be read until more arrives.
    FLICK_TLS_WAITS = 0,
    /// The other side sends nothing more (close_notify).
    FLICK_TLS_END = -1,
    /// What arrived breaks the protocol, or the two sides have no version or cipher in common.
    FLICK_TLS_FAILED = -2,
};

/// Advances the handshake, and decrypts received bytes into `bytes`. Returns their number, or one of the above.
int flick_tls_read(flick_tls *tls, void *bytes, int limit);

/// Whether the handshake has ended: before that nothing can be written.
int flick_tls_is_open(const flick_tls *tls);

/// Encrypts all of it. Returns 0, or -1 if the session has failed or has been closed.
int flick_tls_write(flick_tls *tls, const void *bytes, int count);

/// Announces that nothing more is sent (close_notify).
void flick_tls_close(flick_tls *tls);

/// The bytes that are to be sent.
size_t flick_tls_pending(const flick_tls *tls);

/// Takes up to `limit` of them. Returns their number.
int flick_tls_take(flick_tls *tls, void *bytes, int limit);

#endif
