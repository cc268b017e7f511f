#include "CCurl.h"

#define CURL_DISABLE_TYPECHECK 1
#define CURL_NO_OLDIES 1
#include <curl/curl.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// These macros would check the arguments of calls by name.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define LOADED_TABLE curl
#define LOADED_PREFIX curl_
#define LOADED_NAME "libcurl"
// With OpenSSL, or in Debian and Ubuntu with GnuTLS.
#define LOADED_FILE "libcurl.so.4"
#define LOADED_OTHER_FILE "libcurl-gnutls.so.4"
#define LOADED_FUNCTIONS(each) \
    each(global_init) each(version_info) each(easy_init) each(easy_cleanup) each(easy_setopt) each(easy_getinfo) \
        each(easy_pause) each(slist_append) each(slist_free_all) each(multi_init) each(multi_cleanup) \
            each(multi_setopt) each(multi_add_handle) each(multi_remove_handle) each(multi_socket_action) \
                each(multi_info_read)
#include "loaded_library.h"

/// 7.87 brought CURLOPT_QUICK_EXIT: without it, ending a transfer waits for name servers.
#define OLDEST 0x075700

struct flick_curl {
    CURLM *multi;
    const flick_curl_calls *calls;
    void *context;
    /// Status lines that count as "HTTP/1.0 200 OK".
    struct curl_slist *aliases;
};

struct flick_curl_transfer {
    CURL *easy;
    flick_curl *client;
    void *context;
    struct curl_slist *fields;
    int is_added, is_proxied, is_tunnel;
    /// A connection is ready for the request: a tunnel to the host, if there is a proxy.
    int is_connected;
    /// The errno of making a socket, which curl does not keep.
    int socket_error;
    /// Something could not be set.
    int has_failed;
    char message[CURL_ERROR_SIZE];
};

static pthread_once_t use_once = PTHREAD_ONCE_INIT;
static int is_usable;
/// The result of loading it: its version and TLS library, or why it cannot be used.
static char found[sizeof load_error];

static void use_once_only(void) {
    if (load_library() != 0) {
        snprintf(found, sizeof found, "%s", load_error);
        return;
    }
    const curl_version_info_data *info = curl.version_info(CURLVERSION_NOW);
    if (info->version_num < OLDEST) {
        snprintf(found, sizeof found, "libcurl %s is too old", info->version);
    } else if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        snprintf(found, sizeof found, "libcurl %s cannot be initialized", info->version);
    } else {
        const char *tls = info->ssl_version ? info->ssl_version : "no TLS";
        snprintf(found, sizeof found, "libcurl %s, %s", info->version, tls);
        is_usable = 1;
    }
}

int flick_curl_load(void) {
    pthread_once(&use_once, use_once_only);
    return is_usable ? 0 : -1;
}

const char *flick_curl_found(void) { return found; }

// What libcurl calls

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *client, void *unused) {
    (void)easy, (void)unused;
    const flick_curl *self = client;
    int none = what == CURL_POLL_REMOVE;
    self->calls->watch(self->context, socket, !none && what & CURL_POLL_IN, !none && what & CURL_POLL_OUT);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *client) {
    (void)multi;
    const flick_curl *self = client;
    self->calls->set_timer(self->context, milliseconds);
    return 0;
}

static curl_socket_t open_socket(void *transfer, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    flick_curl_transfer *self = transfer;
    char text[NI_MAXHOST];
    if (getnameinfo(&address->addr, address->addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0 ||
        !self->client->calls->may_connect(self->context, text))
        return CURL_SOCKET_BAD;
#ifdef SOCK_CLOEXEC
    int opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int opened = socket(address->family, address->socktype, address->protocol);
    if (opened >= 0) fcntl(opened, F_SETFD, FD_CLOEXEC);
#endif
    self->socket_error = opened < 0 ? errno : 0;
    return opened;
}

// A connection that is used again was opened for another transfer.
static int before_request(void *transfer, char *peer, char *local, int peer_port, int local_port) {
    (void)local, (void)peer_port, (void)local_port;
    flick_curl_transfer *self = transfer;
    self->is_connected = 1;
    return self->client->calls->may_connect(self->context, peer) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static size_t on_line(char *bytes, size_t size, size_t count, void *transfer) {
    const flick_curl_transfer *self = transfer;
    int result = self->client->calls->line(self->context, bytes, size * count);
    if (result > 0) curl.easy_setopt(self->easy, CURLOPT_FORBID_REUSE, 1L);
    return result < 0 ? 0 : size * count;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *transfer) {
    const flick_curl_transfer *self = transfer;
    int pauses = self->client->calls->body(self->context, (const uint8_t *)bytes, size * count);
    return pauses ? CURL_WRITEFUNC_PAUSE : size * count;
}

// Clients

flick_curl *flick_curl_open(const flick_curl_calls *calls, void *context, long connections_per_host) {
    flick_curl *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    *client = (flick_curl){.multi = curl.multi_init(), .calls = calls, .context = context};
    client->aliases = curl.slist_append(NULL, "ICY 200");
    if (!client->multi || !client->aliases) {
        flick_curl_close(client);
        return NULL;
    }
    curl.multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl.multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
    curl.multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl.multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
    curl.multi_setopt(client->multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections_per_host);
    // Of all hosts together. The default limit shrinks with the number of transfers.
    curl.multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, 8 * connections_per_host);
    return client;
}

void flick_curl_close(flick_curl *client) {
    if (client->multi) curl.multi_cleanup(client->multi);
    curl.slist_free_all(client->aliases);
    free(client);
}

static flick_curl_end_kind tls_kind(const flick_curl_transfer *transfer) {
    long verified = 0;
    curl.easy_getinfo(transfer->easy, CURLINFO_SSL_VERIFYRESULT, &verified);
    // OpenSSL: 1 until verified, then 0. A failure with either value is curl's check of the host's name
    // (vtls/openssl.c). GnuTLS always leaves 0.
    int is_name = strstr(transfer->message, "match") != NULL || strstr(transfer->message, "alternative") != NULL;
    return verified == 1 || (verified == 0 && is_name) ? FLICK_CURL_OTHER_HOST : FLICK_CURL_BAD_CERTIFICATE;
}

/// Whether the connection broke during the handshake: by OpenSSL's messages (the second since curl 8.14), and GnuTLS's.
static int is_broken(const char *message) {
    static const char *const texts[] = {
        "SSL_connect:", "unexpected eof", "non-properly terminated", "Error in the pull function"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strstr(message, texts[i])) return 1;
    return 0;
}

static flick_curl_end_kind kind(const flick_curl_transfer *transfer, CURLcode code, int *error) {
    if (code == CURLE_OK) return FLICK_CURL_DONE;
    if (code == CURLE_WRITE_ERROR || code == CURLE_ABORTED_BY_CALLBACK) return FLICK_CURL_REFUSED;
    // Before 8.6, a line of the head that is too long has the same code.
    if (code == CURLE_OUT_OF_MEMORY)
        return curl.version_info(CURLVERSION_NOW)->version_num < 0x080600 ? FLICK_CURL_NOT_HTTP : FLICK_CURL_NO_MEMORY;
    if (code == CURLE_OPERATION_TIMEDOUT) return FLICK_CURL_CONNECT_TIMEOUT;
    long status = 0, system = 0;
    curl.easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &status);
    int has_no_tunnel = transfer->is_tunnel && !transfer->is_connected && status / 100 != 2;
    if (code == CURLE_PROXY || code == CURLE_COULDNT_RESOLVE_PROXY || has_no_tunnel) return FLICK_CURL_PROXY_FAILED;
    switch ((int)code) {
    case CURLE_COULDNT_RESOLVE_HOST: return FLICK_CURL_NO_SUCH_HOST;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
        curl.easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &system);
        *error = transfer->socket_error ? transfer->socket_error : (int)system;
        return transfer->is_proxied ? FLICK_CURL_PROXY_FAILED : FLICK_CURL_NOT_CONNECTED;
    case CURLE_PEER_FAILED_VERIFICATION: return tls_kind(transfer);
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return FLICK_CURL_BAD_CERTIFICATE;
    case CURLE_SSL_CACERT_BADFILE: return FLICK_CURL_NO_AUTHORITIES;
    case CURLE_SSL_CONNECT_ERROR: return is_broken(transfer->message) ? FLICK_CURL_DROPPED : FLICK_CURL_NO_HANDSHAKE;
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CERTPROBLEM: return FLICK_CURL_NO_HANDSHAKE;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
    // CURLE_TOO_LARGE, from 8.6 on: a line of the head.
    case 100: return FLICK_CURL_NOT_HTTP;
    case CURLE_URL_MALFORMAT: return FLICK_CURL_BAD_URL;
    default: return FLICK_CURL_DROPPED;
    }
}

void flick_curl_act(flick_curl *client, int socket, int can_read, int can_write) {
    int events = (can_read ? CURL_CSELECT_IN : 0) | (can_write ? CURL_CSELECT_OUT : 0), count = 0;
    curl.multi_socket_action(client->multi, socket < 0 ? CURL_SOCKET_TIMEOUT : socket, socket < 0 ? 0 : events, &count);
    CURLMsg *message;
    while ((message = curl.multi_info_read(client->multi, &count)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        flick_curl_transfer *transfer = NULL;
        CURLcode code = message->data.result;
        curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        int error = 0;
        flick_curl_end_kind ended = kind(transfer, code, &error);
        client->calls->ended(transfer->context, ended, error);
    }
}

// Transfers

static void set(flick_curl_transfer *transfer, CURLcode code) {
    if (code != CURLE_OK) transfer->has_failed = 1;
}

#define SET(option, value) set(transfer, curl.easy_setopt(transfer->easy, option, value))

flick_curl_transfer *flick_curl_prepare(flick_curl *client, void *context, const char *url, int is_secure) {
    flick_curl_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) return NULL;
    transfer->easy = curl.easy_init();
    if (!transfer->easy) {
        free(transfer);
        return NULL;
    }
    transfer->client = client;
    transfer->context = context;
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_ERRORBUFFER, transfer->message);
    SET(CURLOPT_URL, url);
    // The deprecated form, as a number, which all versions have.
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    // No signals, and no waiting for name servers.
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L);
    // Empty texts keep it from reading the environment.
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "");
    // Requests to a host whose server may speak HTTP/2 wait until it is known, and share the connection.
    SET(CURLOPT_HTTP_VERSION, (long)(is_secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    SET(CURLOPT_PIPEWAIT, (long)is_secure);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_BUFFERSIZE, (long)flick_curl_buffer_size);
    SET(CURLOPT_MAXAGE_CONN, 60L);
    SET(CURLOPT_HTTP200ALIASES, client->aliases);
    SET(CURLOPT_HTTP_CONTENT_DECODING, 0L);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, transfer);
    SET(CURLOPT_PREREQFUNCTION, before_request);
    SET(CURLOPT_PREREQDATA, transfer);
    SET(CURLOPT_HEADERFUNCTION, on_line);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, transfer);
    return transfer;
}

static void add_line(flick_curl_transfer *transfer, const char *line) {
    struct curl_slist *fields = curl.slist_append(transfer->fields, line);
    if (fields) transfer->fields = fields;
    else transfer->has_failed = 1;
}

void flick_curl_set_method(
    flick_curl_transfer *transfer, const char *name, int is_idempotent, const uint8_t *content, size_t count) {
    if (strcmp(name, "HEAD") == 0) {
        SET(CURLOPT_NOBODY, 1L);
    } else if (content != NULL || strcmp(name, "POST") == 0 || strcmp(name, "PUT") == 0 || strcmp(name, "PATCH") == 0) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
        SET(CURLOPT_COPYPOSTFIELDS, content ? (const char *)content : "");
        // What curl would add by itself.
        add_line(transfer, "Expect:");
        if (content == NULL) add_line(transfer, "Content-Type:");
    }
    if (strcmp(name, "GET") != 0 && strcmp(name, "HEAD") != 0) SET(CURLOPT_CUSTOMREQUEST, name);
    if (!is_idempotent) SET(CURLOPT_FRESH_CONNECT, 1L);
}

void flick_curl_add_field(flick_curl_transfer *transfer, const char *name, const char *value) {
    size_t size = strlen(name) + strlen(value) + 3;
    char *line = malloc(size);
    if (!line) {
        transfer->has_failed = 1;
        return;
    }
    // A semicolon stands for an empty value, a colon for no field (CURLOPT_HTTPHEADER(3)).
    snprintf(line, size, *value ? "%s: %s" : "%s;", name, value);
    add_line(transfer, line);
    free(line);
}

void flick_curl_set_timeout(flick_curl_transfer *transfer, long connect_milliseconds) {
    SET(CURLOPT_CONNECTTIMEOUT_MS, connect_milliseconds);
}

void flick_curl_set_proxy(
    flick_curl_transfer *transfer, const char *url, const char *user, const char *password) {
    transfer->is_proxied = 1;
    SET(CURLOPT_PROXY, url);
    if (strncmp(url, "http:", 5) != 0) return;
    transfer->is_tunnel = 1;
    SET(CURLOPT_HTTPPROXYTUNNEL, 1L);
    if (user == NULL) return;
    SET(CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC);
    SET(CURLOPT_PROXYUSERNAME, user);
    SET(CURLOPT_PROXYPASSWORD, password);
}

void flick_curl_set_authorities(flick_curl_transfer *transfer, const char *file, const char *folders) {
    // The authorities of a file are read once, those of folders with each connection: so the system's folder is left
    // out if there is its file.
    const char *system = curl.version_info(CURLVERSION_NOW)->cainfo;
    if (file == NULL) file = system;
    if (file != NULL) SET(CURLOPT_CAINFO, file);
    if (folders != NULL || file != NULL) SET(CURLOPT_CAPATH, folders);
}

int flick_curl_begin(flick_curl_transfer *transfer) {
    SET(CURLOPT_HTTPHEADER, transfer->fields);
    if (transfer->has_failed) return -1;
    transfer->is_added = curl.multi_add_handle(transfer->client->multi, transfer->easy) == CURLM_OK;
    return transfer->is_added ? 0 : -1;
}

int flick_curl_own_socket(const flick_curl_transfer *transfer) {
    long version = CURL_HTTP_VERSION_NONE;
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl.easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &version);
    if (version != CURL_HTTP_VERSION_1_0 && version != CURL_HTTP_VERSION_1_1) return -1;
    curl.easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &socket);
    return socket == CURL_SOCKET_BAD ? -1 : (int)socket;
}

void flick_curl_resume(flick_curl_transfer *transfer) { curl.easy_pause(transfer->easy, CURLPAUSE_CONT); }

void flick_curl_release(flick_curl_transfer *transfer) {
    if (transfer->is_added) curl.multi_remove_handle(transfer->client->multi, transfer->easy);
    curl.easy_cleanup(transfer->easy);
    curl.slist_free_all(transfer->fields);
    free(transfer);
}
