#ifndef FLICK_SODIUM_H
#define FLICK_SODIUM_H

#include <stddef.h>
#include <stdint.h>

// The part of libsodium that the cache needs. Any thread may call.

enum { flick_sha256_size = 32, flick_seal_key_size = 32, flick_seal_nonce_size = 12, flick_seal_tag_size = 16 };

/// SHA-256 (FIPS 180-4) of `count` bytes, into `out`, which holds `flick_sha256_size` bytes.
void flick_sha256(const uint8_t *bytes, size_t count, uint8_t *out);

/// Encrypts `count` bytes with ChaCha20-Poly1305 (RFC 8439) and a random nonce. `out` holds `count` bytes. `name` is
/// authenticated as well.
void flick_seal(
    const uint8_t *plain, size_t count, const uint8_t *name, size_t name_count, const uint8_t *key, uint8_t *out,
    uint8_t *nonce, uint8_t *tag);

/// Decrypts `count` bytes into `out`, which holds as many. Returns 0, or -1 unless they were sealed with this name,
/// key, nonce and tag.
int flick_unseal(
    const uint8_t *sealed, size_t count, const uint8_t *name, size_t name_count, const uint8_t *key,
    const uint8_t *nonce, const uint8_t *tag, uint8_t *out);

#endif
