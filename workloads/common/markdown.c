#include "common/markdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"

/* The whole file as text; null: it cannot be read. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', file) < 0 && text)
        text[0] = '\0';
    fclose(file);
    return text;
}

bool markdown_replace(const char *path, const char *name, const char *opening, const char *heading,
                      const char *text, Error *error)
{
    char begin[96], end[96];
    snprintf(begin, sizeof begin, "<!-- generated: %s -->\n", name);
    snprintf(end, sizeof end, "<!-- end of %s -->\n", name);
    char *old = read_text(path);
    OutputFile *output = output_file_begin("page", path, error);
    if (!output) {
        free(old);
        return false;
    }
    FILE *file = output_file_stream(output);
    const char *rest = old ? old : opening;
    const char *from = strstr(rest, begin), *to = from ? strstr(from, end) : NULL;
    if (to)
        fprintf(file, "%.*s%s%s%s", (int)(from - rest), rest, begin, text, to);
    else
        fprintf(file, "%s\n%s\n\n%s%s%s", rest, heading, begin, text, end);
    free(old);
    return output_file_end(output, error) == WB_OK;
}
