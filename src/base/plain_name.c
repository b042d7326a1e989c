/* C++ symbols are demangled by libiberty, which hands the name over in parts; a name that gets too long is
 * given up in the middle. Patterns of users match any form that a person would write: with parameters or
 * without, with template arguments and qualifiers or without. */
#include "base/plain_name.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* -- what a symbol stands for -- */

typedef struct Collector {
    char text[PLAIN_NAME_SIZE];
    size_t length;
    jmp_buf too_long;
} Collector;

/* A few letters can stand for a name that would fill the memory: there is no other way to stop it. */
static void collect(const char *part, size_t length, void *context)
{
    Collector *collector = context;
    if (collector->length + length >= sizeof collector->text)
        longjmp(collector->too_long, 1);
    memcpy(collector->text + collector->length, part, length);
    collector->length += length;
}

char *plain_name(const char *symbol, bool parameters)
{
    Collector collector;
    collector.length = 0;
    const int options = parameters ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : DMGL_NO_OPTS;
    /* What has been collected is looked at only if no longjmp() has come, so `collector` need not be
     * volatile. */
    const bool is_made = strncmp(symbol, "_Z", 2) == 0 && setjmp(collector.too_long) == 0 &&
                         cplus_demangle_v3_callback(symbol, options, collect, &collector);
    return is_made ? xcopy_part(collector.text, collector.length) : xcopy_text(symbol);
}

/* -- parts of names -- */

/* The depth of brackets behind the character. */
static int depth_behind(char character, int depth)
{
    if (character == '<' || character == '(' || character == '{')
        return depth + 1;
    return (character == '>' || character == ')' || character == '}') && depth > 0 ? depth - 1 : depth;
}

/* Behind the last "::" that is no part of an argument. */
static const char *unqualified(const char *name)
{
    const char *found = name;
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth = depth_behind(*at, depth);
        if (depth == 0 && at[0] == ':' && at[1] == ':')
            found = at + 2;
    }
    return found;
}

/* Cuts off template arguments of the last part. */
static void drop_arguments(char *name)
{
    char *start = strchr(unqualified(name), '<');
    if (start)
        *start = '\0';
}

typedef bool Matcher(const char *pattern, const char *name);

static bool matches_shell(const char *pattern, const char *name) { return fnmatch(pattern, name, 0) == 0; }
static bool matches_whole(const char *pattern, const char *name) { return strcmp(pattern, name) == 0; }

static bool matches(const char *pattern, const char *symbol, Matcher *matcher)
{
    if (matcher(pattern, symbol))
        return true;
    char *whole = plain_name(symbol, true), *name = plain_name(symbol, false);
    /* From the most exact form to the loosest one. */
    bool found = matcher(pattern, whole) || matcher(pattern, name) || matcher(pattern, unqualified(name));
    drop_arguments(name);
    found = found || matcher(pattern, name) || matcher(pattern, unqualified(name));
    xfree(whole);
    xfree(name);
    return found;
}

/* The comma behind a pattern, or the end. One between brackets is the pattern's own, unless they stay open,
 * as in "scale<*,sum". */
static const char *pattern_end(const char *pattern)
{
    const char *end = pattern;
    int depth = 0;
    for (; *end && (depth || *end != ','); end++)
        depth = depth_behind(*end, depth);
    return depth ? pattern + strcspn(pattern, ",") : end;
}

bool plain_name_matches(const char *patterns, const char *symbol)
{
    bool found = false;
    for (const char *at = patterns; at && !found;) {
        const char *comma = pattern_end(at);
        char *pattern = xcopy_part(at, (size_t)(comma - at));
        found = matches(pattern, symbol, matches_shell);
        xfree(pattern);
        at = *comma ? comma + 1 : NULL;
    }
    return found;
}

bool plain_name_is(const char *name, const char *symbol) { return matches(name, symbol, matches_whole); }

/* -- names that have to fit -- */

static const char gap[] = "...";

/* The first `head` columns, and the name from `from` on as far as there is room. */
static char *join(const char *name, size_t head, size_t from, size_t width, char *text)
{
    snprintf(text, width + 1, "%.*s%s%s", (int)head, name, gap, name + from);
    return text;
}

char *plain_name_fit(const char *name, size_t width, char *text)
{
    const size_t length = strlen(name), kept = width - strlen(gap), head = kept - kept / 3;
    if (length <= width)
        return memcpy(text, name, length + 1);
    return join(name, head, length - (kept - head), width, text);
}

/* Where they begin to differ. */
static size_t difference(const char *one, const char *other)
{
    size_t at = 0;
    while (one[at] && one[at] == other[at])
        at++;
    return at;
}

void plain_names_fit(const char *const *names, size_t count, size_t width, char *texts)
{
    for (size_t i = 0; i < count; i++) {
        char *text = texts + i * (width + 1);
        plain_name_fit(names[i], width, text);
        /* A short head says which family it is, the rest shows what tells it from the one before. */
        for (size_t before = 0; before < i; before++)
            if (strcmp(text, texts + before * (width + 1)) == 0)
                join(names[i], width / 3, difference(names[before], names[i]), width, text);
    }
}
