#include "CTLS.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LOADED_TABLE ssl
#define LOADED_PREFIX
#define LOADED_NAME "libssl"
// OpenSSL 3. Its functions for bytes in memory and errors are in libcrypto, which it brings along.
#define LOADED_FILE "libssl.so.3"
#define LOADED_FUNCTIONS(each) \
    each(BIO_ctrl) each(BIO_free) each(BIO_new) each(BIO_read) each(BIO_s_mem) each(BIO_write) each(ERR_clear_error) \
        each(ERR_get_error) each(ERR_reason_error_string) each(SSL_CTX_check_private_key) each(SSL_CTX_ctrl) \
            each(SSL_CTX_free) each(SSL_CTX_new) each(SSL_CTX_set_alpn_select_cb) \
                each(SSL_CTX_set_default_passwd_cb) each(SSL_CTX_set_options) each(SSL_CTX_use_PrivateKey_file) \
                    each(SSL_CTX_use_certificate_chain_file) each(SSL_free) each(SSL_get_error) \
                        each(SSL_is_init_finished) each(SSL_new) each(SSL_read) each(SSL_select_next_proto) \
                            each(SSL_set_accept_state) each(SSL_set_bio) each(SSL_shutdown) each(SSL_write) \
                                each(TLS_server_method)
#include "loaded_library.h"

struct flick_tls_context { SSL_CTX *context; };
struct flick_tls {
    SSL *session;
    /// Received bytes, and bytes to send. The session owns both.
    BIO *in, *out;
    int has_failed;
    /// The handshake has ended once. OpenSSL counts later messages, such as a new key, as a handshake again.
    int was_opened;
};

int flick_tls_load(void) { return load_library(); }

const char *flick_tls_load_error(void) { return load_error; }

/// Refuses keys with a passphrase: a server has no user to enter it.
static int no_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return 0;
}

/// Chooses HTTP/1.1 where clients offer HTTP/2 as well (RFC 7301).
static int choose_protocol(SSL *session, const unsigned char **chosen, unsigned char *count,
                           const unsigned char *offered, unsigned int offered_count, void *context) {
    (void)session, (void)context;
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *found;
    int result = ssl.SSL_select_next_proto(&found, count, ours, sizeof ours - 1, offered, offered_count);
    if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static void say_why(char *error, size_t limit) {
    const char *reason = NULL;
    // The first is the cause, and the rest say where it was noticed.
    unsigned long code = ssl.ERR_get_error();
    if (code != 0) reason = ssl.ERR_reason_error_string(code);
    if (reason == NULL && ERR_SYSTEM_ERROR(code)) reason = strerror(ERR_GET_REASON(code));
    snprintf(error, limit, "%s", reason ? reason : "unknown error");
    ssl.ERR_clear_error();
}

flick_tls_context *flick_tls_context_new(const char *certificate, const char *key, char *error, size_t limit) {
    ssl.ERR_clear_error();
    flick_tls_context *made = calloc(1, sizeof *made);
    if (made == NULL) {
        snprintf(error, limit, "out of memory");
        return NULL;
    }
    SSL_CTX *context = made->context = ssl.SSL_CTX_new(ssl.TLS_server_method());
    if (context == NULL) goto failed;
    ssl.SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    ssl.SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    ssl.SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    // Frees the buffers of 34 KB while a connection waits.
    ssl.SSL_CTX_ctrl(context, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL);
    // Sessions are in tickets, which clients keep.
    ssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    if (ssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL) != 1) goto failed;
    if (ssl.SSL_CTX_use_certificate_chain_file(context, certificate) != 1) goto failed;
    if (ssl.SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) goto failed;
    if (ssl.SSL_CTX_check_private_key(context) != 1) goto failed;
    return made;
failed:
    say_why(error, limit);
    flick_tls_context_free(made);
    return NULL;
}

void flick_tls_context_free(flick_tls_context *context) {
    if (context == NULL) return;
    ssl.SSL_CTX_free(context->context);
    free(context);
}

flick_tls *flick_tls_new(flick_tls_context *context) {
    flick_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) return NULL;
    tls->session = ssl.SSL_new(context->context);
    tls->in = ssl.BIO_new(ssl.BIO_s_mem());
    tls->out = ssl.BIO_new(ssl.BIO_s_mem());
    if (tls->session == NULL || tls->in == NULL || tls->out == NULL) {
        ssl.BIO_free(tls->in);
        ssl.BIO_free(tls->out);
        ssl.SSL_free(tls->session);
        free(tls);
        return NULL;
    }
    // An empty one means "later", not "end".
    ssl.BIO_ctrl(tls->in, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, NULL);
    ssl.SSL_set_bio(tls->session, tls->in, tls->out);
    ssl.SSL_set_accept_state(tls->session);
    return tls;
}

void flick_tls_free(flick_tls *tls) {
    if (tls == NULL) return;
    ssl.SSL_free(tls->session);
    free(tls);
}

int flick_tls_arrived(flick_tls *tls, const void *bytes, size_t count) {
    while (count > 0) {
        int written = ssl.BIO_write(tls->in, bytes, count < INT_MAX ? (int)count : INT_MAX);
        if (written <= 0) return -1;
        bytes = (const char *)bytes + written;
        count -= (size_t)written;
    }
    return 0;
}

int flick_tls_read(flick_tls *tls, void *bytes, int limit) {
    if (tls->has_failed) return FLICK_TLS_FAILED;
    // Errors of other connections of this thread would be taken for this one's.
    ssl.ERR_clear_error();
    int count = ssl.SSL_read(tls->session, bytes, limit);
    if (ssl.SSL_is_init_finished(tls->session)) tls->was_opened = 1;
    if (count > 0) return count;
    switch (ssl.SSL_get_error(tls->session, count)) {
    case SSL_ERROR_WANT_READ: return FLICK_TLS_WAITS;
    case SSL_ERROR_ZERO_RETURN: return FLICK_TLS_END;
    default:
        tls->has_failed = 1;
        ssl.ERR_clear_error();
        return FLICK_TLS_FAILED;
    }
}

int flick_tls_is_open(const flick_tls *tls) { return !tls->has_failed && tls->was_opened; }

int flick_tls_write(flick_tls *tls, const void *bytes, int count) {
    if (tls->has_failed) return -1;
    if (count <= 0) return 0;
    ssl.ERR_clear_error();
    // Memory takes all of it at once. A client that has sent only part of a post-handshake message cannot be
    // answered, and is disconnected.
    if (ssl.SSL_write(tls->session, bytes, count) == count) return 0;
    tls->has_failed = 1;
    ssl.ERR_clear_error();
    return -1;
}

void flick_tls_close(flick_tls *tls) {
    // OpenSSL forbids it after an error, and within a handshake it would be one.
    if (tls->has_failed || !ssl.SSL_is_init_finished(tls->session)) return;
    ssl.ERR_clear_error();
    ssl.SSL_shutdown(tls->session);
    ssl.ERR_clear_error();
}

size_t flick_tls_pending(const flick_tls *tls) { return (size_t)ssl.BIO_ctrl(tls->out, BIO_CTRL_PENDING, 0, NULL); }

int flick_tls_take(flick_tls *tls, void *bytes, int limit) {
    int count = ssl.BIO_read(tls->out, bytes, limit);
    return count > 0 ? count : 0;
}
