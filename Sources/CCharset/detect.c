#include "CCharset.h"

// With pkg-config, the include path already names the folder.
#if __has_include(<uchardet/uchardet.h>)
#include <uchardet/uchardet.h>
#else
#include <uchardet.h>
#endif

#define LOADED_TABLE uchardet
#define LOADED_PREFIX uchardet_
#define LOADED_NAME "uchardet"
#define LOADED_FILE "libuchardet.so.0"
#define LOADED_FUNCTIONS(each) each(new) each(handle_data) each(data_end) each(get_charset) each(delete)
#include "loaded_library.h"

int flick_charset_detect(const char *bytes, size_t length, char *name, size_t room) {
    if (load_library() != 0) return -1;
    uchardet_t detector = uchardet.new();
    if (detector == NULL) return -1;
    name[0] = 0;
    if (uchardet.handle_data(detector, bytes, length) == 0) {
        uchardet.data_end(detector);
        snprintf(name, room, "%s", uchardet.get_charset(detector));
    }
    uchardet.delete(detector);
    return 0;
}
