#include "CNoLocaleData.h"

#include <stdint.h>

// GRDB and TOMLKit import all of Foundation, and that brings ICU with 31 MB of data for locales, calendars and character sets, of which flick uses nothing.
// A program that defines the data's symbol itself is not given that of lib_FoundationICU.a. What asks ICU for data nevertheless is told that there is none.
// Hidden: where Foundation is a shared library, as in debug builds and tests, it keeps its own.

/// A package of ICU's common data format ("CmnD") without a single item (icu4c, unicode/udata.h and ucmndata.h).
struct NoItems {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size, reserved;
    uint8_t is_big_endian, character_set, unichar_size, reserved_byte;
    uint8_t format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    uint32_t count, end[3];
};

// Every release of ICU has a symbol of its own: 76 is Swift 6.3's, the others those of the releases around it.
#define NO_ITEMS(version)                                                                                                        \
    __attribute__((visibility("hidden"), aligned(16))) const struct NoItems icudt##version##_dat = {                            \
        .header_size = 32, .magic = {0xda, 0x27}, .info_size = 20, .unichar_size = 2, .format = {'C', 'm', 'n', 'D'},           \
        .format_version = {1}, .data_version = {version}};

NO_ITEMS(72)
NO_ITEMS(73)
NO_ITEMS(74)
NO_ITEMS(75)
NO_ITEMS(76)
NO_ITEMS(77)
NO_ITEMS(78)
NO_ITEMS(79)
