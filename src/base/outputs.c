/* Only the system knows whether a file can be made, and which paths are the same one, whatever their
 * spelling: all are opened, without changing what is in them, and compared; those that were not there are
 * taken away. */
#include "base/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/printable.h"

/* Invariant: is_file exactly if it is a regular file, which `device` and `inode` tell from all others; made
 * is empty or the real path of that file, which was not there before. */
typedef struct Tried {
    bool is_file;
    dev_t device;
    ino_t inode;
    char made[PATH_MAX];
} Tried;

static void note_identity(const struct stat *status, Tried *tried)
{
    tried->is_file = S_ISREG(status->st_mode);
    tried->device = status->st_dev;
    tried->inode = status->st_ino;
}

static bool refuse(const OutputPath *output, const char *why, Error *error)
{
    char shown[PRINTABLE_NAME_SIZE];
    error_set(error, WB_ERROR_ARGUMENT, "%s: %s cannot be written: %s.", output->what,
              *output->path ? printable_name(output->path, shown) : "''", why);
    return false;
}

/* Pipes and devices are not opened: that may wait, or do something. */
static bool try_there(const OutputPath *output, const struct stat *status, Error *error)
{
    if (S_ISDIR(status->st_mode))
        return refuse(output, "it is a folder", error);
    return access(output->path, W_OK) == 0 || refuse(output, strerror(errno), error);
}

/* Other processes try and write the same path, as all programs of a script do: what one of them has made in
 * the meantime is there. Only a link that leads nowhere is opened without O_EXCL, which refuses it. */
static bool try_new(const OutputPath *output, Tried *tried, Error *error)
{
    enum { HOW = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY };
    struct stat status;
    int file = open(output->path, HOW | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) {
        if (stat(output->path, &status) == 0) {
            note_identity(&status, tried);
            return try_there(output, &status, error);
        }
        file = open(output->path, HOW, 0666);
    }
    if (file < 0)
        return refuse(output, *output->path ? strerror(errno) : "a file needs a name", error);
    const bool is_known = fstat(file, &status) == 0;
    if (is_known)
        note_identity(&status, tried);
    close(file);
    if (!is_known || !realpath(output->path, tried->made)) /* a link may have led there */
        *tried->made = '\0';
    return true;
}

static bool try_path(const OutputPath *output, Tried *tried, Error *error)
{
    struct stat status;
    const bool is_there = stat(output->path, &status) == 0;
    if (is_there)
        note_identity(&status, tried);
    if (output->is_input)
        return true; /* whether it can be read is for others to tell */
    return is_there ? try_there(output, &status, error) : try_new(output, tried, error);
}

static bool check_pair(const OutputPath *a, const OutputPath *b, Error *error)
{
    const OutputPath *output = a->is_input ? b : a, *other = a->is_input ? a : b;
    if (other->is_input)
        error_set(error, WB_ERROR_ARGUMENT, "%s would overwrite %s, '%s': give it another name.",
                  output->what, other->what, other->path);
    else
        error_set(error, WB_ERROR_ARGUMENT, "%s and %s would both write '%s': give them different names.",
                  output->what, other->what, other->path);
    return false;
}

static bool check_pairs(const OutputPath *paths, const Tried *tried, size_t count, Error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (tried[i].is_file && tried[k].is_file && tried[i].device == tried[k].device &&
                tried[i].inode == tried[k].inode && !(paths[i].is_input && paths[k].is_input))
                return check_pair(&paths[k], &paths[i], error);
    return true;
}

/* Unless another process has written to it, or has put its own in its place. */
static void take_away(const Tried *tried)
{
    struct stat status;
    if (*tried->made && stat(tried->made, &status) == 0 && status.st_size == 0 &&
        status.st_dev == tried->device && status.st_ino == tried->inode)
        unlink(tried->made);
}

bool outputs_check(const OutputPath *paths, size_t count, Error *error)
{
    Tried *tried = xcalloc(count, sizeof *tried);
    bool right = true;
    for (size_t i = 0; i < count && right; i++)
        right = !paths[i].path || try_path(&paths[i], &tried[i], error);
    right = right && check_pairs(paths, tried, count, error);
    for (size_t i = 0; i < count; i++)
        take_away(&tried[i]);
    xfree(tried);
    return right;
}
