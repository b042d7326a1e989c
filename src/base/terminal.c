/* What a terminal can show, asked of the system, and text that is broken at spaces to fit in. COLUMNS wins
 * over what the terminal says, so that output into a file can be given a width. */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL = 100, NARROWEST = 60, WIDEST = 400 };

bool terminal_is(FILE *to) { return isatty(fileno(to)); }

bool terminal_can_redraw(FILE *to)
{
    const char *kind = getenv("TERM");
    return kind && *kind && strcmp(kind, "dumb") != 0 && terminal_is(to);
}

unsigned terminal_width(FILE *to)
{
    struct winsize size;
    return ioctl(fileno(to), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned terminal_columns(FILE *to)
{
    const char *wanted = getenv("COLUMNS");
    unsigned long columns = wanted ? strtoul(wanted, NULL, 10) : 0;
    if (!columns)
        columns = terminal_width(to);
    if (!columns)
        return USUAL;
    /* Narrower than this no table is readable, and wider lines no longer help a reader. */
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (unsigned)columns;
}

static unsigned begin_line(unsigned indent, FILE *to)
{
    fprintf(to, "\n%*s", (int)indent, "");
    return indent;
}

/* The length of the word that begins there. One that no line has room for ends behind each of its bars. */
static unsigned word_length(const char *text, unsigned room)
{
    const size_t length = strcspn(text, " \n"), choice = strcspn(text, "|");
    return (unsigned)(length > room && choice < length ? choice + 1 : length);
}

void terminal_wrap(const char *text, unsigned at, unsigned indent, unsigned columns, FILE *to)
{
    bool is_first = true; /* word of its line */
    while (*text) {
        const unsigned spaces = (unsigned)strspn(text, " ");
        const unsigned length = word_length(text + spaces, columns > indent ? columns - indent : 0);
        /* A word that is longer than a line stays whole: as the first of its line it is printed whatever its
         * length. */
        if (!is_first && length && at + spaces + length > columns) {
            at = begin_line(indent, to);
            text += spaces;
            is_first = true;
            continue;
        }
        at += (unsigned)fprintf(to, "%.*s", (int)(spaces + length), text);
        text += spaces + length;
        is_first = false;
        if (*text == '\n' && *++text) {
            at = begin_line(indent, to);
            is_first = true;
        }
    }
    putc('\n', to);
}
