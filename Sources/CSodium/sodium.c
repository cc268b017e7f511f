#include "CSodium.h"

#include <sodium.h>

#include <stdlib.h>

_Static_assert(flick_sha256_size == crypto_hash_sha256_BYTES, "size of a hash");
_Static_assert(flick_seal_key_size == crypto_aead_chacha20poly1305_ietf_KEYBYTES, "size of a key");
_Static_assert(flick_seal_nonce_size == crypto_aead_chacha20poly1305_ietf_NPUBBYTES, "size of a nonce");
_Static_assert(flick_seal_tag_size == crypto_aead_chacha20poly1305_ietf_ABYTES, "size of a tag");

/// Chooses the code that suits the processor. It may be called again, by any thread. It fails only on a system without
/// random numbers, where nothing can be encrypted.
static void begin(void) {
    if (sodium_init() < 0) abort();
}

void flick_sha256(const uint8_t *bytes, size_t count, uint8_t *out) {
    // It never fails.
    crypto_hash_sha256(out, bytes, count);
}

void flick_seal(
    const uint8_t *plain, size_t count, const uint8_t *name, size_t name_count, const uint8_t *key, uint8_t *out,
    uint8_t *nonce, uint8_t *tag) {
    begin();
    randombytes_buf(nonce, flick_seal_nonce_size);
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(
        out, tag, NULL, plain, count, name, name_count, NULL, nonce, key);
}

int flick_unseal(
    const uint8_t *sealed, size_t count, const uint8_t *name, size_t name_count, const uint8_t *key,
    const uint8_t *nonce, const uint8_t *tag, uint8_t *out) {
    begin();
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
        out, NULL, sealed, count, tag, name, name_count, nonce, key);
}
