/* Reading timelines, and the rules of the Trace Event Format that they have to keep. */
#ifndef TRACE_RULES_H
#define TRACE_RULES_H

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/gpu.h"
#include "harness.h"

enum { KERNELS = 1, COUNTERS, COPIES, SMS, LAUNCHES, WAITS }; /* processes */
enum { MOST_DEPTH = 4 };

/* -- reading -- */

/* The file's text, to be freed. */
static inline char *timeline_text(WbGpu *gpu)
{
    char path[] = "/tmp/warpbeam_trace_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    if (wb_timeline(gpu, path) != WB_OK)
        fail_msg("%s", wb_error(gpu));
    close(file); /* another file has its name now */
    file = open(path, O_RDONLY);
    assert_true(file >= 0);
    const off_t size = lseek(file, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(pread(file, text, (size_t)size, 0), size);
    close(file);
    unlink(path);
    return text;
}

static inline json_t *timeline_of(WbGpu *gpu)
{
    char *text = timeline_text(gpu);
    json_error_t error;
    json_t *timeline = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!timeline)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return timeline;
}

static inline json_t *get(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        fail_msg("there is no '%s'", key);
    return value;
}

static inline uint64_t number(const json_t *object, const char *key)
{
    assert_true(json_is_integer(get(object, key)));
    return (uint64_t)json_integer_value(get(object, key));
}

static inline const char *text(const json_t *object, const char *key)
{
    return json_string_value(get(object, key));
}

static inline bool is_phase(const json_t *event, char phase) { return text(event, "ph")[0] == phase; }

/* As viewers do it. */
static inline uint64_t ns(const json_t *event, const char *key)
{
    return (uint64_t)(json_real_value(get(event, key)) * 1000.0);
}

static inline const json_t *events_of(const json_t *timeline) { return get(timeline, "traceEvents"); }

/* How many events of a process have that phase, and a name that ends so. */
static inline size_t count(const json_t *timeline, uint64_t process, char phase, const char *ending)
{
    size_t found = 0, i;
    const json_t *event;
    json_array_foreach(events_of(timeline), i, event)
    {
        const char *name = text(event, "name");
        const size_t length = strlen(name), wanted = strlen(ending);
        found += number(event, "pid") == process && is_phase(event, phase) && length >= wanted &&
                 strcmp(name + length - wanted, ending) == 0;
    }
    return found;
}

static inline uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

/* -- rules of the format -- */

/* Slices that are open on a track. */
typedef struct Track {
    uint64_t thread, ends[MOST_DEPTH];
    unsigned depth;
    bool is_named;
} Track;

typedef struct Tracks {
    Track *items;
    uint32_t count, capacity;
} Tracks;

static Track *track_of(Tracks *tracks, const json_t *event)
{
    const uint64_t thread = number(event, "tid");
    for (uint32_t i = 0; i < tracks->count; i++)
        if (tracks->items[i].thread == thread)
            return &tracks->items[i];
    VEC_PUSH(tracks, ((Track){.thread = thread}));
    return &tracks->items[tracks->count - 1];
}

/* Slices nest or lie apart. Returns how many are open at the event's begin. */
static inline unsigned open_slices(Track *track, uint64_t begin)
{
    while (track->depth && track->ends[track->depth - 1] <= begin)
        track->depth--;
    return track->depth;
}

static inline void check_slice(Track *track, const json_t *event)
{
    const uint64_t begin = ns(event, "ts"), end = begin + ns(event, "dur");
    const unsigned depth = open_slices(track, begin);
    if (depth && end > track->ends[depth - 1])
        fail_msg("%s overlaps another slice of its track", json_dumps(event, 0));
    assert_true(depth < MOST_DEPTH);
    track->ends[track->depth++] = end;
}

/* An arrow is s, perhaps t, f, in this order, each inside a slice. `arrows` holds what may come next. */
static inline void check_arrow(Track *track, const json_t *event, json_t *arrows)
{
    char key[32];
    snprintf(key, sizeof key, "%llu", (unsigned long long)number(event, "id"));
    const json_t *open = json_object_get(arrows, key);
    if (!open_slices(track, ns(event, "ts")))
        fail_msg("%s is in no slice", json_dumps(event, 0));
    assert_int_equal(is_phase(event, 's'), open == NULL);
    assert_true(!open || json_is_true(open));
    if (is_phase(event, 'f'))
        assert_string_equal(text(event, "bp"), "e");
    json_object_set_new(arrows, key, json_boolean(!is_phase(event, 'f')));
}

static inline void check_event(Tracks *tracks, const json_t *event, json_t *arrows)
{
    if (is_phase(event, 'C')) {
        assert_true(json_is_real(get(get(event, "args"), "value")));
        return;
    }
    Track *track = track_of(tracks, event);
    assert_true(track->is_named);
    if (is_phase(event, 'X'))
        check_slice(track, event);
    else
        check_arrow(track, event, arrows);
}

static inline void check_rules(const json_t *timeline)
{
    Tracks tracks = {0};
    json_t *arrows = json_object();
    uint64_t last = 0;
    size_t i;
    const json_t *event, *open;
    const char *key;
    assert_string_equal(text(timeline, "displayTimeUnit"), "ns");
    json_array_foreach(events_of(timeline), i, event)
    {
        if (is_phase(event, 'M')) {
            assert_int_equal(last, 0);
            if (strcmp(text(event, "name"), "thread_name") == 0)
                track_of(&tracks, event)->is_named = true;
            continue;
        }
        assert_true(ns(event, "ts") >= last);
        last = ns(event, "ts");
        check_event(&tracks, event, arrows);
    }
    json_object_foreach(arrows, key, open) assert_true(json_is_false(open));
    json_decref(arrows);
    VEC_FREE(&tracks);
}

#endif
