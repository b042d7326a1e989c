/* A whole file is read in pieces, so that pipes and files of /proc, whose size nobody knows, can be read as
 * well. Paths are only cut and put together here; nothing is looked up. */
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/vec.h"

enum { LARGEST_FILE = 1 << 30 };

char *file_read(const char *what, const char *path, size_t *length, Error *error)
{
    FILE *file = fopen(path, "rb");
    VEC(char) text = {0};
    size_t got = 0;
    if (file) {
        do {
            VEC_RESERVE(&text, text.count + 65536);
            got = fread(text.items + text.count, 1, 65536, file);
            text.count += (uint32_t)got;
        /* The bound also keeps the 32-bit count of a vector from running over. */
        } while (got && text.count < LARGEST_FILE);
    }
    /* The calls below may change it. */
    const int reason = errno;
    char shown[PRINTABLE_NAME_SIZE];
    if (!file || ferror(file))
        error_set(error, WB_ERROR_NOT_FOUND, "The %s %s cannot be read: %s.", what,
                  printable_name(path, shown), strerror(reason));
    else if (text.count >= LARGEST_FILE)
        error_set(error, WB_ERROR_ARGUMENT, "The %s %s is larger than 1 GiB.", what,
                  printable_name(path, shown));
    if (error->status != WB_OK)
        VEC_FREE(&text);
    if (file)
        fclose(file);
    *length = text.count;
    return text.items;
}

const char *file_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *file_whole_path(const char *path)
{
    char folder[PATH_MAX];
    if (*path == '/' || !getcwd(folder, sizeof folder))
        return xcopy_text(path);
    char *whole = xmalloc(strlen(folder) + strlen(path) + 2);
    sprintf(whole, "%s/%s", folder, path);
    return whole;
}
