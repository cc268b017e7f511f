#include "CXML.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#include <stdlib.h>
#include <string.h>

#define LOADED_TABLE xml
// Its functions begin with xml and with html, so they are named in full.
#define LOADED_PREFIX
#define LOADED_NAME "libxml2"
// Of the version that the headers are of: structures that are used below have another layout from 2.14 on.
#if LIBXML_VERSION >= 21400
#define LOADED_FILE "libxml2.so.16"
#else
#define LOADED_FILE "libxml2.so.2"
#endif
#define LOADED_FUNCTIONS(each) \
    each(xmlInitParser) each(xmlSetStructuredErrorFunc) each(xmlSetExternalEntityLoader) each(xmlCreatePushParserCtxt) \
    each(xmlCtxtUseOptions) each(xmlParseChunk) each(xmlFreeParserCtxt) each(htmlCreatePushParserCtxt) \
    each(htmlCtxtUseOptions) each(htmlParseChunk) each(htmlFreeParserCtxt)
#include "loaded_library.h"

/// More attributes of one element are left out.
enum { attribute_limit = 128 };

struct flick_xml {
    xmlParserCtxtPtr parser;
    int is_html;
    flick_xml_events events;
    void *context;
};

#if LIBXML_VERSION >= 21200
static void ignore_error(void *context, const xmlError *error) {
#else
static void ignore_error(void *context, xmlErrorPtr error) {
#endif
    (void)context;
    (void)error;
}

/// Nothing outside a document is ever read.
static xmlParserInputPtr refuse(const char *url, const char *id, xmlParserCtxtPtr parser) {
    (void)url;
    (void)id;
    (void)parser;
    return NULL;
}

static void prepare_once(void) {
    xml.xmlInitParser();
    // For the whole process, in which nothing else uses libxml2.
    xml.xmlSetExternalEntityLoader(refuse);
}

int flick_xml_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (load_library() != 0) return -1;
    pthread_once(&once, prepare_once);
    return 0;
}

const char *flick_xml_load_error(void) { return load_error; }

static void begin(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int spaces,
                  const xmlChar **declared, int count, int defaulted, const xmlChar **values) {
    (void)spaces;
    (void)declared;
    (void)defaulted;
    flick_xml *reader = context;
    flick_xml_attribute attributes[attribute_limit];
    if (count > attribute_limit) count = attribute_limit;
    for (int index = 0; index < count; index++, values += 5) {
        attributes[index].name = (const char *)values[0];
        attributes[index].space = (const char *)(values[2] ? values[2] : values[1]);
        attributes[index].value = (const char *)values[3];
        attributes[index].length = (size_t)(values[4] - values[3]);
    }
    reader->events.begin(reader->context, (const char *)(uri ? uri : prefix), (const char *)name, attributes, count);
}

static void end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    flick_xml *reader = context;
    reader->events.end(reader->context, (const char *)(uri ? uri : prefix), (const char *)name);
}

static void begin_html(void *context, const xmlChar *name, const xmlChar **values) {
    flick_xml *reader = context;
    flick_xml_attribute attributes[attribute_limit];
    int count = 0;
    for (; values && values[0] && count < attribute_limit; values += 2, count++) {
        // An attribute without value has none here.
        const char *value = values[1] ? (const char *)values[1] : "";
        attributes[count] = (flick_xml_attribute){NULL, (const char *)values[0], value, strlen(value)};
    }
    reader->events.begin(reader->context, NULL, (const char *)name, attributes, count);
}

static void end_html(void *context, const xmlChar *name) {
    flick_xml *reader = context;
    reader->events.end(reader->context, NULL, (const char *)name);
}

static void text(void *context, const xmlChar *bytes, int length) {
    flick_xml *reader = context;
    if (length > 0) reader->events.text(reader->context, (const char *)bytes, (size_t)length);
}

flick_xml *flick_xml_open(int is_html, const flick_xml_events *events, void *context) {
    flick_xml *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->is_html = is_html;
    reader->events = *events;
    reader->context = context;
    // Of this thread; some of its messages belong to no document.
    xml.xmlSetStructuredErrorFunc(NULL, ignore_error);
    // Events that are not named here are ignored: comments, instructions,
    // declarations, entities except the five of XML. No tree is built.
    xmlSAXHandler handler = {
        .characters = text, .ignorableWhitespace = text, .cdataBlock = text, .serror = ignore_error};
    if (is_html) {
        handler.startElement = begin_html;
        handler.endElement = end_html;
        reader->parser = xml.htmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    } else {
        handler.initialized = XML_SAX2_MAGIC;
        handler.startElementNs = begin;
        handler.endElementNs = end;
        reader->parser = xml.xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
    }
    if (reader->parser == NULL) {
        free(reader);
        return NULL;
    }
    if (is_html) {
        xml.htmlCtxtUseOptions(
            reader->parser, HTML_PARSE_RECOVER | HTML_PARSE_NODEFDTD | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC);
    } else {
        // NOENT: without it, `&amp;` in a value stays `&#38;`. As no entity is ever declared, there is nothing else to
        // substitute.
        xml.xmlCtxtUseOptions(
            reader->parser, XML_PARSE_RECOVER | XML_PARSE_NOENT | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
    }
    return reader;
}

void flick_xml_push(flick_xml *reader, const char *bytes, size_t length, int is_last) {
    // libxml2 counts in int.
    enum { most = 1 << 20 };
    do {
        size_t part = length < most ? length : most;
        int ends = is_last && part == length;
        if (reader->is_html) {
            xml.htmlParseChunk(reader->parser, bytes, (int)part, ends);
        } else {
            xml.xmlParseChunk(reader->parser, bytes, (int)part, ends);
        }
        bytes += part;
        length -= part;
    } while (length > 0);
}

void flick_xml_close(flick_xml *reader) {
    if (reader == NULL) return;
    if (reader->is_html) {
        xml.htmlFreeParserCtxt(reader->parser);
    } else {
        xml.xmlFreeParserCtxt(reader->parser);
    }
    free(reader);
}
