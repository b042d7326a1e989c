/* Pages that are known, and walks: translation.h. */
#include "mem/translation.h"

#include <string.h>

#include "base/alloc.h"
#include "mem/backing.h"
#include "mem/space.h"

enum { FEWEST_PLACES = 16 };

static bool is_known(const Translation *translation, uint64_t page)
{
    return page / 64 < translation->words && translation->bits[page / 64] >> page % 64 & 1;
}

/* The page's place, or the free one where it would go. */
static Walk *find(const Walks *walks, uint64_t page)
{
    uint32_t at = (uint32_t)(page * 0x9E3779B97F4A7C15ull >> 32) & (walks->capacity - 1);
    while (walks->places[at].page && walks->places[at].page != page + 1)
        at = (at + 1) & (walks->capacity - 1);
    return &walks->places[at];
}

static void grow(Walks *walks)
{
    Walk *old = walks->places;
    const uint32_t count = walks->capacity;
    walks->capacity = count ? 2 * count : FEWEST_PLACES;
    walks->places = xcalloc(walks->capacity, sizeof *walks->places);
    for (uint32_t i = 0; i < count; i++)
        if (old[i].page)
            *find(walks, old[i].page - 1) = old[i];
    xfree(old);
}

Cycle walks_when(Walks *walks, uint64_t line, Cycle now)
{
    /* Local memory has bit 63 set; the host's lies above all devices'. */
    if (!walks->known || line >= SPACE_HOST_BASE)
        return now;
    const uint64_t page = line / PAGE_BYTES;
    /* Its own walks first: nothing may pass what waits for one, even if others know the page by now. */
    const Walk *under_way = walks->count ? find(walks, page) : NULL;
    if (under_way && under_way->page)
        return under_way->ready > now ? under_way->ready : now;
    if (is_known(walks->known, page))
        return now;
    if (2 * walks->count >= walks->capacity)
        grow(walks);
    *find(walks, page) = (Walk){.page = page + 1, .ready = now + walks->cycles};
    walks->count++;
    return now + walks->cycles;
}

static void know(Translation *translation, uint64_t page)
{
    if (page / 64 >= translation->words) {
        const size_t words = (size_t)page / 64 + 1;
        translation->bits = xrealloc(translation->bits, words * sizeof *translation->bits);
        memset(translation->bits + translation->words, 0,
               (words - translation->words) * sizeof *translation->bits);
        translation->words = words;
    }
    translation->bits[page / 64] |= (uint64_t)1 << page % 64;
}

void translation_learn(Translation *translation, Walks *walks, Cycle now)
{
    if (!walks->count)
        return;
    Walk *old = walks->places;
    walks->places = xcalloc(walks->capacity, sizeof *walks->places);
    walks->count = 0;
    for (uint32_t i = 0; i < walks->capacity; i++) {
        if (!old[i].page)
            continue;
        know(translation, old[i].page - 1);
        if (old[i].ready > now) {
            *find(walks, old[i].page - 1) = old[i];
            walks->count++;
        }
    }
    xfree(old);
}

void translation_free(Translation *translation) { xfree(translation->bits); }

void walks_free(Walks *walks) { xfree(walks->places); }
