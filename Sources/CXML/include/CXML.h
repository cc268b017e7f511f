#ifndef FLICK_XML_H
#define FLICK_XML_H

#include <stddef.h>

// The parts of libxml2 that read XML and HTML as they arrive. On Linux it is loaded on first use:
// flick without it plays everything except feeds in XML. It never fetches anything, declares no
// entity, loads no DTD, and writes no message. Any thread may use a reader, one at a time.

typedef struct flick_xml flick_xml;

typedef struct {
    /// The namespace, or the prefix if that is declared nowhere; NULL if there is neither. Ends with NUL.
    const char *space;
    /// Ends with NUL.
    const char *name;
    /// UTF-8, `length` bytes.
    const char *value;
    size_t length;
} flick_xml_attribute;

/// What the document has, in its order. Pointers to names hold until the reader is closed, and equal names of XML have
/// equal pointers; others hold during the call.
typedef struct {
    void (*begin)(void *context, const char *space, const char *name, const flick_xml_attribute *attributes, int count);
    void (*text)(void *context, const char *bytes, size_t length);
    void (*end)(void *context, const char *space, const char *name);
} flick_xml_events;

/// Loads the library. Returns 0, or -1: `flick_xml_load_error` says why.
int flick_xml_load(void);
const char *flick_xml_load_error(void);

/// A reader of UTF-8 that calls `events`, which is copied; NULL without memory. Only once the library is loaded.
flick_xml *flick_xml_open(int is_html, const flick_xml_events *events, void *context);

/// Reads on. `bytes` end with a whole character. `is_last` says that nothing follows.
void flick_xml_push(flick_xml *reader, const char *bytes, size_t length, int is_last);

void flick_xml_close(flick_xml *reader);

#endif
