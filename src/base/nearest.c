/* Names by edit distance. The hint is the nearest one, if it is near enough to be meant. */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Optimal string alignment; three rows of the table are enough, since a swap looks back by two. */
size_t edit_distance(const char *a, const char *b)
{
    size_t rows = strnlen(a, LONGEST), columns = strnlen(b, LONGEST);
    size_t table[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *row = table[i % 3], *above = table[(i + 2) % 3], *before = table[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, 1 + least(above[j], row[j - 1]));
            /* A swap of neighbours is one slip of a typist, not two. */
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return table[rows % 3][columns];
}

Nearest nearest_to(const char *wanted) { return (Nearest){.wanted = wanted}; }

static void put_on_list(Nearest *nearest, const char *name)
{
    const size_t used = strlen(nearest->list);
    /* Once a name did not fit, the list stays empty: part of it would look like all there is. */
    const bool is_whole = used > 0 || nearest->count == 0; /* so far */
    const bool has_room = used + strlen(name) + 3 <= NEAREST_LIST_SIZE && nearest->count < NEAREST_FEW;
    if (is_whole && has_room)
        snprintf(nearest->list + used, NEAREST_LIST_SIZE - used, "%s%s", used ? ", " : "", name);
    else
        nearest->list[0] = '\0';
    nearest->count++;
}

void nearest_offer(Nearest *nearest, const char *name)
{
    size_t distance = edit_distance(nearest->wanted, name);
    put_on_list(nearest, name);
    if (!nearest->best || distance < nearest->distance) {
        nearest->best = name;
        nearest->distance = distance;
    }
}

const char *nearest_name(const Nearest *nearest)
{
    if (!nearest->best)
        return NULL;
    size_t wanted = strlen(nearest->wanted), best = strlen(nearest->best);
    size_t longer = wanted > best ? wanted : best;
    if (nearest->distance >= wanted) /* they have nothing in common */
        return NULL;
    return nearest->distance <= 2 || 3 * nearest->distance <= longer ? nearest->best : NULL;
}

const char *nearest_hint(const Nearest *nearest, char *buffer, size_t size)
{
    const char *name = nearest_name(nearest);
    if (name)
        snprintf(buffer, size, "; did you mean %s?", name);
    else if (*nearest->list)
        snprintf(buffer, size, nearest->count > 1 ? "; choose from %s." : "; there is only %s.",
                 nearest->list);
    else
        snprintf(buffer, size, ".");
    return buffer;
}
