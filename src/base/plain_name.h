/* Names of C++ functions as people write them. A symbol that no C++ compiler made is its own plain name.
 *
 *     _ZN3sim5scaleIfLi4EEEvP3VecIT_E      sim::scale<float, 4>
 */
#ifndef BASE_PLAIN_NAME_H
#define BASE_PLAIN_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Longer ones stay as their symbol: templates can make a name of any length. */
enum { PLAIN_NAME_SIZE = 4096 };

/* The name of a symbol, to be given to xfree(); `parameters`: with their types, "scale<float>(Vec*)". */
char *plain_name(const char *symbol, bool parameters);

/* Whether one of the patterns, as shells have them and with commas between them, names the symbol: the symbol
 * itself or its plain name, with or without parameters, template arguments and what it is qualified by. */
bool plain_name_matches(const char *patterns, const char *symbol);
/* The same for one name instead of patterns. */
bool plain_name_is(const char *name, const char *symbol);

/* The name in `width` columns: what is too long loses its middle. Returns text[width + 1]. */
char *plain_name_fit(const char *name, size_t width, char *text);
/* The same for names in a list: one that would look like one before it shows where it differs from that.
 * texts[count][width + 1]. */
void plain_names_fit(const char *const *names, size_t count, size_t width, char *texts);

#endif
