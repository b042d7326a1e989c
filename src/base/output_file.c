/* Writes go through a stream of our own, since stdio forgets why one has failed. */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/printable.h"

enum { BUFFER_BYTES = 1 << 16, MOST_LINKS = 40, NAME_TRIES = 100 };

/* Where a path leads to. Invariant: `folder` has no links in it; is_direct: there is nothing to be
 * replaced. */
typedef struct Place {
    char folder[PATH_MAX], name[NAME_MAX + 1];
    struct stat status;
    bool is_there, is_direct;
    int descriptor; /* -1, or that of this process which the path means, as /dev/stdout does */
} Place;

/* Invariant: what is written goes to `file`; `target` is null where that is the path's own, and else the path
 * that it gets at its end. `beside` is empty while it has no name. `reason` is that of the first failure; 0:
 * none. */
struct OutputFile {
    const char *what;
    char *path;
    FILE *stream;
    int file, reason;
    char *target;
    char beside[PATH_MAX];
};

static WbStatus refuse(const char *what, const char *path, int reason, Error *error)
{
    char shown[PRINTABLE_NAME_SIZE];
    const bool is_nowhere = reason == ENOENT || reason == ENOTDIR;
    return error_set(error, is_nowhere ? WB_ERROR_NOT_FOUND : WB_ERROR_ARGUMENT,
                     "The %s cannot be written to %s: %s.", what, *path ? printable_name(path, shown) : "''",
                     *path ? strerror(reason) : "a file needs a name");
}

/* -- where it goes -- */

/* Parts the path and finds out where its folder is. */
static bool split(const char *path, Place *place)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (strlen(name) > NAME_MAX || length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (!realpath(length ? folder : slash ? "/" : ".", place->folder))
        return false;
    strcpy(place->name, name);
    return true;
}

static bool join(const char *folder, const char *name, char path[PATH_MAX])
{
    const int length = snprintf(path, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    if (length < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Files there are those that processes have open, whatever their links say. */
static void look_at_open_file(Place *place)
{
    char own[64], *end;
    place->is_direct = true;
    snprintf(own, sizeof own, "/proc/%d/fd", (int)getpid());
    const long number = strtol(place->name, &end, 10);
    if (strcmp(place->folder, own) == 0 && *place->name && !*end && fcntl((int)number, F_GETFD) >= 0)
        place->descriptor = (int)number;
}

/* Follows links to where the file is or will be. False: errno says why there is no such place. */
static bool find_place(const char *path, Place *place)
{
    char at[PATH_MAX], link[PATH_MAX];
    *place = (Place){.descriptor = -1};
    snprintf(at, sizeof at, "%s", path);
    for (int i = 0; i < MOST_LINKS; i++) {
        if (!split(at, place) || !join(place->folder, place->name, at))
            return false;
        /* /dev/stdout leads here: to replace it would write a file that the program's reader never sees. */
        if (strncmp(place->folder, "/proc/", 6) == 0) {
            look_at_open_file(place);
            return true;
        }
        place->is_there = lstat(at, &place->status) == 0;
        if (!place->is_there || !S_ISLNK(place->status.st_mode)) {
            /* Pipes and devices are written as they are. If lstat() failed for another reason than that
             * nothing is there, open() will say the same. */
            place->is_direct = place->is_there ? !S_ISREG(place->status.st_mode) : errno != ENOENT;
            return true;
        }
        const ssize_t length = readlink(at, link, sizeof link - 1);
        if (length < 0)
            return false;
        link[length] = '\0';
        if (*link == '/')
            strcpy(at, link);
        else if (!join(place->folder, link, at))
            return false;
    }
    errno = ELOOP;
    return false;
}

/* -- the file beside it -- */

/* ".NAME.warpbeam-PID", or with a number behind it, of as much of the name as a file's may have. */
static bool name_beside(const Place *place, int number, char path[PATH_MAX])
{
    char end[48], name[NAME_MAX + 1];
    snprintf(end, sizeof end, number ? ".warpbeam-%d-%d" : ".warpbeam-%d", (int)getpid(), number);
    snprintf(name, sizeof name, ".%.*s%s", (int)(NAME_MAX - 1 - strlen(end)), place->name, end);
    return join(place->folder, name, path);
}

static int make_named(const Place *place, char path[PATH_MAX])
{
    int file = -1;
    errno = EEXIST;
    for (int i = 0; file < 0 && errno == EEXIST && i < NAME_TRIES; i++) {
        if (!name_beside(place, i, path))
            break;
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (file < 0)
        *path = '\0';
    return file;
}

/* It may be read as well, for copy_in_place(). */
static int make_beside(const Place *place, char path[PATH_MAX])
{
    *path = '\0';
    const int file = open(place->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    return file >= 0 ? file : make_named(place, path);
}

/* As it was: an owner that this process may not give stays its own. */
static void keep_permissions(int file, const struct stat *status)
{
    if ((status->st_uid != geteuid() || status->st_gid != getegid()) &&
        fchown(file, status->st_uid, status->st_gid))
        (void)!fchown(file, (uid_t)-1, status->st_gid);
    fchmod(file, status->st_mode & 07777);
}

/* A file that may not be written is not replaced either. */
static int open_beside(const Place *place, OutputFile *output)
{
    char target[PATH_MAX];
    if (!join(place->folder, place->name, target) || (place->is_there && access(target, W_OK)))
        return -1;
    const int file = make_beside(place, output->beside);
    if (file >= 0) {
        output->target = xcopy_text(target);
        if (place->is_there)
            keep_permissions(file, &place->status);
    }
    return file;
}

static int open_place(const char *path, OutputFile *output)
{
    Place place;
    if (!find_place(path, &place))
        return -1;
    if (place.descriptor >= 0) {
        if (place.descriptor == STDOUT_FILENO)
            fflush(stdout); /* what was printed comes before */
        return fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0);
    }
    const int file = place.is_direct ? -1 : open_beside(&place, output);
    const bool is_locked = errno == EACCES || errno == EPERM || errno == EROFS; /* the folder */
    return file >= 0 || (!place.is_direct && !is_locked)
               ? file
               : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

/* -- the stream -- */

/* Writes all of it; returns the reason of a failure, or 0. */
static int write_all(int file, const char *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t written = write(file, text + done, size - done);
        if (written < 0 && errno != EINTR)
            return errno;
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static ssize_t write_stream(void *cookie, const char *text, size_t size)
{
    OutputFile *output = cookie;
    if (!output->reason)
        output->reason = write_all(output->file, text, size);
    return output->reason ? 0 : (ssize_t)size;
}

OutputFile *output_file_begin(const char *what, const char *path, Error *error)
{
    OutputFile *output = xcalloc(1, sizeof *output);
    output->what = what;
    output->path = xcopy_text(path);
    output->file = open_place(path, output);
    if (output->file < 0) {
        refuse(what, path, errno, error);
        xfree(output->path);
        xfree(output);
        return NULL;
    }
    output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = write_stream});
    if (!output->stream)
        abort(); /* as xmalloc() does: there is no memory */
    setvbuf(output->stream, NULL, _IOFBF, BUFFER_BYTES);
    return output;
}

FILE *output_file_stream(const OutputFile *file) { return file->stream; }

/* -- its end -- */

/* Where a file's name cannot be given to another, as that of one which is mounted. */
static int copy_in_place(int from, const char *path)
{
    char text[BUFFER_BYTES];
    ssize_t got = 0;
    int reason = 0;
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (to < 0 || lseek(from, 0, SEEK_SET) < 0)
        reason = errno;
    while (!reason && (got = read(from, text, sizeof text)) > 0)
        reason = write_all(to, text, (size_t)got);
    if (!reason && got < 0)
        reason = errno;
    if (to >= 0 && close(to) && !reason)
        reason = errno;
    return reason;
}

/* Gives the file a name beside its target. */
static bool give_name(OutputFile *output)
{
    Place place;
    char own[64];
    bool is_named = false;
    if (*output->beside)
        return true;
    snprintf(own, sizeof own, "/proc/self/fd/%d", output->file);
    errno = 0;
    split(output->target, &place);
    for (int i = 0; !is_named && (i == 0 || errno == EEXIST) && i < NAME_TRIES; i++)
        is_named = name_beside(&place, i, output->beside) &&
                   linkat(AT_FDCWD, own, AT_FDCWD, output->beside, AT_SYMLINK_FOLLOW) == 0;
    if (!is_named)
        *output->beside = '\0';
    return is_named;
}

/* No signal may come between its two names. */
static int take_place(OutputFile *output)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int reason = give_name(output) && rename(output->beside, output->target) == 0 ? 0 : errno;
    if (reason && *output->beside)
        unlink(output->beside);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *output->beside = '\0';
    if (reason == EBUSY || reason == EPERM || reason == EACCES || reason == EXDEV || reason == ENOENT)
        reason = copy_in_place(output->file, output->target);
    return reason;
}

/* Some systems tell only then that there is no room. Not all files can be waited for. */
static int settle(int file)
{
    const bool is_settled = fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    return is_settled ? 0 : errno;
}

WbStatus output_file_end(OutputFile *output, Error *error)
{
    if (fclose(output->stream) && !output->reason)
        output->reason = errno ? errno : EIO;
    if (!output->reason && output->target)
        output->reason = settle(output->file);
    if (!output->reason && output->target)
        output->reason = take_place(output);
    if (*output->beside)
        unlink(output->beside);
    if (close(output->file) && !output->reason)
        output->reason = errno;
    const WbStatus status =
        output->reason ? refuse(output->what, output->path, output->reason, error) : WB_OK;
    xfree(output->target);
    xfree(output->path);
    xfree(output);
    return status;
}
