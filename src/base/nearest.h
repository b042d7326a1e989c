/* "Did you mean": the known name nearest to a misspelt one, or all of them where they are few.
 *
 *     Nearest nearest = nearest_to("sm_cuont");
 *     for (each known name) nearest_offer(&nearest, name);
 *     nearest_hint(&nearest, buffer, sizeof buffer)      "; did you mean sm_count?"
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Names up to which all are listed; bytes of their list; and bytes that hold any hint. */
enum { NEAREST_FEW = 9, NEAREST_LIST_SIZE = 112, NEAREST_HINT_SIZE = NEAREST_LIST_SIZE + 32 };

/* Invariant: best is the first offered name among those of the smallest distance; null before any. The list
 * has all `count` names, or is empty because they are too many or too long. */
typedef struct Nearest {
    const char *wanted;
    const char *best;
    size_t distance, count;
    char list[NEAREST_LIST_SIZE];
} Nearest;

/* Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
 * Texts longer than 63 characters are compared by their first 63. */
size_t edit_distance(const char *a, const char *b);

Nearest nearest_to(const char *wanted);
void nearest_offer(Nearest *nearest, const char *name);
/* The nearest name, or null where none is near enough to be meant: more than a third of the longer
 * name's letters, and more than two, would have to change. */
const char *nearest_name(const Nearest *nearest);
/* The end of a sentence: "; did you mean NAME?", or where none is near "; choose from A, B, C." if they are
 * few and "." otherwise. */
const char *nearest_hint(const Nearest *nearest, char *buffer, size_t size);

#endif
