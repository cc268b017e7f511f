#ifndef FLICK_TOML_H
#define FLICK_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The part of toml++ (https://marzer.github.io/tomlplusplus) that flick uses. Any thread.

typedef enum {
    flick_toml_text,
    flick_toml_integer,
    flick_toml_number,
    flick_toml_flag,
    /// A date or a time.
    flick_toml_moment,
    /// Its elements follow, up to `flick_toml_end`.
    flick_toml_list,
    flick_toml_table,
    flick_toml_end,
} flick_toml_kind;

/// Texts are UTF-8, not NUL-terminated, and valid only during the visit.
typedef struct {
    flick_toml_kind kind;
    /// The name of an entry of a table; empty for an entry of a list, and for an end.
    const char *name;
    size_t name_size;
    /// From 1: where its name is first, or it begins if it has none. 0 for an end.
    uint32_t line;
    const char *text;
    size_t text_size;
    int64_t integer;
    double number;
    bool flag;
} flick_toml_value;

typedef struct {
    /// From 1.
    uint32_t line;
    /// toml++'s message, truncated.
    char why[240];
} flick_toml_error;

typedef void (*flick_toml_visit)(void *context, const flick_toml_value *value);

/// How deep values may be nested in others.
enum { FLICK_TOML_DEEPEST = 32 };

/// Parses a document (toml.io, v1.0.0) without NUL and visits all of its values, in no particular order in a table.
/// False if it is not valid: nothing was visited. Recurses as deep as values are nested and as names have parts, of
/// which there may be any number.
bool flick_toml_read(
    const char *document, size_t size, flick_toml_visit visit, void *context, flick_toml_error *error);

#ifdef __cplusplus
}
#endif

#endif
