#include "CSDBus.h"

#if defined(__linux__) && __has_include(<systemd/sd-bus.h>)

#include <systemd/sd-bus.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOADED_TABLE sd
#define LOADED_PREFIX sd_bus_
#define LOADED_NAME "libsystemd"
#define LOADED_FILE "libsystemd.so.0"
#define LOADED_FUNCTIONS(each) \
    each(add_object_vtable) each(call_method_async) each(close) each(emit_properties_changed_strv) each(emit_signal) \
        each(error_set) each(get_events) each(get_fd) each(get_timeout) each(is_ready) each(message_append) \
            each(message_close_container) each(message_get_error) each(message_get_member) \
                each(message_is_method_error) each(message_open_container) each(message_read) each(open_system) \
                    each(open_user) each(process) each(reply_method_return) each(request_name_async) each(unref)
#include "loaded_library.h"

static const char object_path[] = "/org/mpris/MediaPlayer2";
static const char root_interface[] = "org.mpris.MediaPlayer2";
static const char player_interface[] = "org.mpris.MediaPlayer2.Player";

/// The texts of a player.
enum { track_text, title_text, artist_text, url_text, artwork_text, text_count };

struct flick_bus {
    sd_bus *bus;
    /// Its texts are in `texts`.
    flick_player player;
    char *texts[text_count];
    /// When `player.position` was right, in microseconds.
    int64_t taken_at;
    flick_player_request request;
    flick_bus_failure failure;
    void *context;
    flick_inhibited inhibited;
    void *inhibited_context;
};

int flick_bus_load(void) { return load_library(); }
const char *flick_bus_load_error(void) { return load_error; }

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

flick_bus *flick_bus_open(int is_system, int *code) {
    flick_bus *made = calloc(1, sizeof *made);
    int result = made == NULL ? -ENOMEM : is_system ? sd.open_system(&made->bus) : sd.open_user(&made->bus);
    if (result >= 0) return made;
    *code = result == -ENOMEDIUM ? 0 : -result;
    free(made);
    return NULL;
}

void flick_bus_close(flick_bus *bus) {
    if (bus == NULL) return;
    sd.close(bus->bus);
    sd.unref(bus->bus);
    for (int text = 0; text < text_count; text++) free(bus->texts[text]);
    free(bus);
}

int flick_bus_descriptor(flick_bus *bus) { return sd.get_fd(bus->bus); }

int flick_bus_events(flick_bus *bus) {
    int events = sd.get_events(bus->bus);
    return events < 0 ? 0 : events;
}

int flick_bus_timeout(flick_bus *bus) {
    uint64_t due;
    if (sd.get_timeout(bus->bus, &due) < 0 || due == UINT64_MAX) return -1;
    int64_t left = (int64_t)due - now();
    return left <= 0 ? 0 : left / 1000 >= INT_MAX ? INT_MAX : (int)(left / 1000 + 1);
}

int flick_bus_process(flick_bus *bus) {
    int result = sd.process(bus->bus, NULL);
    return result > 0 ? 1 : result;
}

int flick_bus_is_ready(flick_bus *bus) { return sd.is_ready(bus->bus) > 0; }

// MARK: The player

static int same(const char *one, const char *other) {
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/// Keeps a copy. Returns 0, or -ENOMEM and keeps the old one.
static int take(flick_bus *bus, const flick_player *player) {
    const char *texts[text_count] = {player->track, player->title, player->artist, player->url, player->artwork};
    char *copies[text_count];
    for (int text = 0; text < text_count; text++) {
        copies[text] = texts[text] ? strdup(texts[text]) : NULL;
        if (texts[text] != NULL && copies[text] == NULL) {
            while (text-- > 0) free(copies[text]);
            return -ENOMEM;
        }
    }
    for (int text = 0; text < text_count; text++) {
        free(bus->texts[text]);
        bus->texts[text] = copies[text];
    }
    bus->player = *player;
    bus->player.track = copies[track_text];
    bus->player.title = copies[title_text];
    bus->player.artist = copies[artist_text];
    bus->player.url = copies[url_text];
    bus->player.artwork = copies[artwork_text];
    bus->taken_at = now();
    return 0;
}

static int64_t position(const flick_bus *bus) {
    const flick_player *player = &bus->player;
    int64_t position = player->position;
    if (player->is_moving) position += (int64_t)((double)(now() - bus->taken_at) * player->rate);
    if (player->length > 0 && position > player->length) position = player->length;
    return position;
}

/// A field of the metadata, an `a{sv}`.
static int append_text(sd_bus_message *message, const char *key, const char *type, const char *text) {
    return text == NULL ? 0 : sd.message_append(message, "{sv}", key, type, text);
}

static int append_metadata(sd_bus_message *message, const flick_player *player) {
    int result = sd.message_open_container(message, 'a', "{sv}");
    if (result < 0) return result;
    if (player->track != NULL) {
        if ((result = append_text(message, "mpris:trackid", "o", player->track)) < 0) return result;
        if ((result = append_text(message, "xesam:title", "s", player->title)) < 0) return result;
        if (player->artist != NULL) {
            result = sd.message_append(message, "{sv}", "xesam:artist", "as", 1, player->artist);
            if (result < 0) return result;
        }
        if ((result = append_text(message, "xesam:url", "s", player->url)) < 0) return result;
        if ((result = append_text(message, "mpris:artUrl", "s", player->artwork)) < 0) return result;
        if (player->length > 0) {
            result = sd.message_append(message, "{sv}", "mpris:length", "x", player->length);
            if (result < 0) return result;
        }
    }
    return sd.message_close_container(message);
}

static const char *status_text(int status) {
    return status == FLICK_PLAYER_PLAYING ? "Playing" : status == FLICK_PLAYER_PAUSED ? "Paused" : "Stopped";
}

static int get(
    sd_bus *connection, const char *path, const char *interface, const char *name, sd_bus_message *reply,
    void *context, sd_bus_error *error) {
    (void)connection, (void)path, (void)interface, (void)error;
    const flick_bus *bus = context;
    const flick_player *player = &bus->player;
    if (same(name, "PlaybackStatus")) return sd.message_append(reply, "s", status_text(player->status));
    if (same(name, "Metadata")) return append_metadata(reply, player);
    if (same(name, "Position")) return sd.message_append(reply, "x", position(bus));
    if (same(name, "Rate")) return sd.message_append(reply, "d", player->rate);
    if (same(name, "MinimumRate")) return sd.message_append(reply, "d", 0.25);
    if (same(name, "MaximumRate")) return sd.message_append(reply, "d", 4.0);
    if (same(name, "Volume")) return sd.message_append(reply, "d", player->volume);
    if (same(name, "CanGoNext")) return sd.message_append(reply, "b", player->has_next);
    if (same(name, "CanGoPrevious")) return sd.message_append(reply, "b", player->has_previous);
    if (same(name, "CanSeek")) return sd.message_append(reply, "b", player->can_seek);
    if (same(name, "CanPlay") || same(name, "CanPause"))
        return sd.message_append(reply, "b", player->status != FLICK_PLAYER_STOPPED);
    if (same(name, "CanControl") || same(name, "CanQuit")) return sd.message_append(reply, "b", 1);
    if (same(name, "CanRaise") || same(name, "HasTrackList")) return sd.message_append(reply, "b", 0);
    // The desktop entry is flick.desktop.
    if (same(name, "Identity") || same(name, "DesktopEntry"))
        return sd.message_append(reply, "s", "flick");
    // No file or URL can be opened from outside.
    if (same(name, "SupportedUriSchemes") || same(name, "SupportedMimeTypes"))
        return sd.message_append(reply, "as", 0);
    return -ENOENT;
}

static int set(
    sd_bus *connection, const char *path, const char *interface, const char *name, sd_bus_message *value,
    void *context, sd_bus_error *error) {
    (void)connection, (void)path, (void)interface;
    const flick_bus *bus = context;
    double number;
    int result = sd.message_read(value, "d", &number);
    if (result < 0) return result;
    // Also refuses what is not a number.
    if (!(number >= -1e6 && number <= 1e6))
        return sd.error_set(error, "org.freedesktop.DBus.Error.InvalidArgs", "out of range");
    bus->request(bus->context, same(name, "Rate") ? FLICK_PLAYER_SET_RATE : FLICK_PLAYER_SET_VOLUME, 0, number);
    return 0;
}

static int call(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    static const struct { const char *name; int request; } requests[] = {
        {"Next", FLICK_PLAYER_NEXT}, {"Previous", FLICK_PLAYER_PREVIOUS}, {"Play", FLICK_PLAYER_PLAY},
        {"Pause", FLICK_PLAYER_PAUSE}, {"PlayPause", FLICK_PLAYER_PLAY_PAUSE}, {"Stop", FLICK_PLAYER_STOP},
        {"Quit", FLICK_PLAYER_QUIT}, {"Seek", FLICK_PLAYER_SEEK}, {"SetPosition", FLICK_PLAYER_SET_POSITION},
    };
    const flick_bus *bus = context;
    const char *name = sd.message_get_member(message), *track = NULL;
    for (size_t index = 0; index < sizeof requests / sizeof *requests; index++) {
        if (!same(name, requests[index].name)) continue;
        int request = requests[index].request, result = 0;
        int64_t time = 0;
        if (request == FLICK_PLAYER_SEEK) result = sd.message_read(message, "x", &time);
        if (request == FLICK_PLAYER_SET_POSITION) result = sd.message_read(message, "ox", &track, &time);
        if (result < 0) return result;
        // What was meant for another item, or lies outside of this one, is ignored (MPRIS, SetPosition).
        int is_meant = request != FLICK_PLAYER_SET_POSITION
            || (same(track, bus->player.track) && time >= 0
                && (bus->player.length <= 0 || time <= bus->player.length));
        if (is_meant) bus->request(bus->context, request, time, 0);
        break;
    }
    // "Raise" has nothing to do: a program in a terminal cannot bring its window to the front.
    return sd.reply_method_return(message, "");
}

// Without the names of parameters, which would need a variable of the library.
#define VTABLE_START \
    { .type = _SD_BUS_VTABLE_START, .x = { .start = { .element_size = sizeof(sd_bus_vtable) } } }
#define CHANGES SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
#define CONSTANT SD_BUS_VTABLE_PROPERTY_CONST

static const sd_bus_vtable root_table[] = {
    VTABLE_START,
    SD_BUS_METHOD("Raise", "", "", call, 0),
    SD_BUS_METHOD("Quit", "", "", call, 0),
    SD_BUS_PROPERTY("CanQuit", "b", get, 0, CONSTANT),
    SD_BUS_PROPERTY("CanRaise", "b", get, 0, CONSTANT),
    SD_BUS_PROPERTY("HasTrackList", "b", get, 0, CONSTANT),
    SD_BUS_PROPERTY("Identity", "s", get, 0, CONSTANT),
    SD_BUS_PROPERTY("DesktopEntry", "s", get, 0, CONSTANT),
    SD_BUS_PROPERTY("SupportedUriSchemes", "as", get, 0, CONSTANT),
    SD_BUS_PROPERTY("SupportedMimeTypes", "as", get, 0, CONSTANT),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable player_table[] = {
    VTABLE_START,
    SD_BUS_METHOD("Next", "", "", call, 0),
    SD_BUS_METHOD("Previous", "", "", call, 0),
    SD_BUS_METHOD("Pause", "", "", call, 0),
    SD_BUS_METHOD("PlayPause", "", "", call, 0),
    SD_BUS_METHOD("Stop", "", "", call, 0),
    SD_BUS_METHOD("Play", "", "", call, 0),
    SD_BUS_METHOD("Seek", "x", "", call, 0),
    SD_BUS_METHOD("SetPosition", "ox", "", call, 0),
    SD_BUS_SIGNAL("Seeked", "x", 0),
    SD_BUS_PROPERTY("PlaybackStatus", "s", get, 0, CHANGES),
    SD_BUS_WRITABLE_PROPERTY("Rate", "d", get, set, 0, CHANGES),
    SD_BUS_PROPERTY("Metadata", "a{sv}", get, 0, CHANGES),
    SD_BUS_WRITABLE_PROPERTY("Volume", "d", get, set, 0, CHANGES),
    SD_BUS_PROPERTY("Position", "x", get, 0, 0),
    SD_BUS_PROPERTY("MinimumRate", "d", get, 0, CONSTANT),
    SD_BUS_PROPERTY("MaximumRate", "d", get, 0, CONSTANT),
    SD_BUS_PROPERTY("CanGoNext", "b", get, 0, CHANGES),
    SD_BUS_PROPERTY("CanGoPrevious", "b", get, 0, CHANGES),
    SD_BUS_PROPERTY("CanPlay", "b", get, 0, CHANGES),
    SD_BUS_PROPERTY("CanPause", "b", get, 0, CHANGES),
    SD_BUS_PROPERTY("CanSeek", "b", get, 0, CHANGES),
    SD_BUS_PROPERTY("CanControl", "b", get, 0, CONSTANT),
    SD_BUS_VTABLE_END,
};

/// Why a call failed; NULL if it did not.
static const char *failure_of(sd_bus_message *reply) {
    if (!sd.message_is_method_error(reply, NULL)) return NULL;
    const sd_bus_error *error = sd.message_get_error(reply);
    return error && error->message ? error->message : error && error->name ? error->name : "unknown error";
}

static int named(sd_bus_message *reply, void *context, sd_bus_error *error) {
    (void)error;
    const flick_bus *bus = context;
    const char *why = failure_of(reply);
    if (why != NULL) bus->failure(bus->context, why);
    return 0;
}

int flick_bus_offer_player(
    flick_bus *bus, const char *name, const flick_player *player, flick_player_request request,
    flick_bus_failure failure, void *context) {
    bus->request = request;
    bus->failure = failure;
    bus->context = context;
    int result = take(bus, player);
    if (result < 0) return result;
    result = sd.add_object_vtable(bus->bus, NULL, object_path, root_interface, root_table, bus);
    if (result < 0) return result;
    result = sd.add_object_vtable(bus->bus, NULL, object_path, player_interface, player_table, bus);
    if (result < 0) return result;
    result = sd.request_name_async(bus->bus, NULL, name, 0, named, bus);
    return result < 0 ? result : 0;
}

int flick_bus_update_player(flick_bus *bus, const flick_player *player, int has_jumped) {
    const flick_player *old = &bus->player;
    const char *names[10] = {NULL};
    int count = 0;
    if (old->status != player->status) names[count++] = "PlaybackStatus";
    if ((old->status == FLICK_PLAYER_STOPPED) != (player->status == FLICK_PLAYER_STOPPED)) {
        names[count++] = "CanPlay";
        names[count++] = "CanPause";
    }
    if (!same(old->track, player->track) || !same(old->title, player->title) || !same(old->artist, player->artist)
        || !same(old->url, player->url) || !same(old->artwork, player->artwork) || old->length != player->length)
        names[count++] = "Metadata";
    if (old->rate != player->rate) names[count++] = "Rate";
    if (old->volume != player->volume) names[count++] = "Volume";
    if (old->has_next != player->has_next) names[count++] = "CanGoNext";
    if (old->has_previous != player->has_previous) names[count++] = "CanGoPrevious";
    if (old->can_seek != player->can_seek) names[count++] = "CanSeek";
    int result = take(bus, player);
    if (result < 0) return result;
    if (count > 0) {
        result = sd.emit_properties_changed_strv(bus->bus, object_path, player_interface, (char **)names);
        if (result < 0) return result;
    }
    if (has_jumped) result = sd.emit_signal(bus->bus, object_path, player_interface, "Seeked", "x", position(bus));
    return result < 0 ? result : 0;
}

// MARK: Inhibitors

static int inhibited(sd_bus_message *reply, void *context, sd_bus_error *error) {
    (void)error;
    const flick_bus *bus = context;
    const char *why = failure_of(reply);
    int descriptor = -1, copy = -1;
    if (why == NULL && sd.message_read(reply, "h", &descriptor) < 0) why = "unexpected reply";
    // The message owns the other one.
    if (why == NULL && (copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) < 0) why = strerror(errno);
    bus->inhibited(bus->inhibited_context, copy, why);
    return 0;
}

int flick_bus_inhibit(
    flick_bus *bus, const char *what, const char *who, const char *why, flick_inhibited answered, void *context) {
    bus->inhibited = answered;
    bus->inhibited_context = context;
    int result = sd.call_method_async(
        bus->bus, NULL, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
        "Inhibit", inhibited, bus, "ssss", what, who, why, "block");
    return result < 0 ? result : 0;
}

#else

#include <errno.h>

// Systems without systemd have no sd-bus, and flick does without.
int flick_bus_load(void) { return -1; }
const char *flick_bus_load_error(void) { return "flick was built without sd-bus"; }

flick_bus *flick_bus_open(int is_system, int *code) {
    (void)is_system;
    *code = ENOTCONN;
    return 0;
}
void flick_bus_close(flick_bus *bus) { (void)bus; }
int flick_bus_descriptor(flick_bus *bus) { return (void)bus, -1; }
int flick_bus_events(flick_bus *bus) { return (void)bus, 0; }
int flick_bus_timeout(flick_bus *bus) { return (void)bus, -1; }
int flick_bus_process(flick_bus *bus) { return (void)bus, -ENOTCONN; }
int flick_bus_is_ready(flick_bus *bus) { return (void)bus, 0; }
int flick_bus_offer_player(
    flick_bus *bus, const char *name, const flick_player *player, flick_player_request request,
    flick_bus_failure failure, void *context) {
    return (void)bus, (void)name, (void)player, (void)request, (void)failure, (void)context, -ENOTCONN;
}
int flick_bus_update_player(flick_bus *bus, const flick_player *player, int has_jumped) {
    return (void)bus, (void)player, (void)has_jumped, -ENOTCONN;
}
int flick_bus_inhibit(
    flick_bus *bus, const char *what, const char *who, const char *why, flick_inhibited answered, void *context) {
    return (void)bus, (void)what, (void)who, (void)why, (void)answered, (void)context, -ENOTCONN;
}

#endif
