/* A file is the same as long as its device, inode, size and times are. */
#include "sweep/files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

enum { STAMP_SIZE = 160 };

static bool stamp_of(const char *what, const char *path, char stamp[STAMP_SIZE], Error *error)
{
    struct stat about;
    if (stat(path, &about)) {
        error_set(error, WB_ERROR_NOT_FOUND, "The %s %s cannot be read: %s.", what, path, strerror(errno));
        return false;
    }
    snprintf(stamp, STAMP_SIZE, "%llu %llu %lld %lld.%09ld %lld.%09ld", (unsigned long long)about.st_dev,
             (unsigned long long)about.st_ino, (long long)about.st_size, (long long)about.st_mtim.tv_sec,
             about.st_mtim.tv_nsec, (long long)about.st_ctim.tv_sec, about.st_ctim.tv_nsec);
    return true;
}

static bool look_up(const Store *store, const char *path, const char *stamp, char text[DIGEST_TEXT_SIZE],
                    Error *error)
{
    sqlite3_stmt *made = store_prepare(store, "SELECT digest FROM file WHERE path = ? AND stamp = ?", error);
    if (!made)
        return false;
    store_bind_text(made, 1, path);
    store_bind_text(made, 2, stamp);
    const bool found = store_step(store, made, error);
    if (found)
        snprintf(text, DIGEST_TEXT_SIZE, "%s", store_text(made, 0));
    sqlite3_finalize(made);
    return found;
}

static bool keep(const Store *store, const char *path, const char *stamp, const char *text, Error *error)
{
    sqlite3_stmt *made = store_prepare(store, "INSERT OR REPLACE INTO file VALUES (?, ?, ?)", error);
    if (!made)
        return false;
    store_bind_text(made, 1, path);
    store_bind_text(made, 2, stamp);
    store_bind_text(made, 3, text);
    const bool kept = store_finish(store, made, error);
    sqlite3_finalize(made);
    return kept;
}

bool files_digest(const Store *store, const char *what, const char *path, char text[DIGEST_TEXT_SIZE],
                  Error *error)
{
    char whole[PATH_MAX], stamp[STAMP_SIZE];
    if (!realpath(path, whole))
        snprintf(whole, sizeof whole, "%s", path);
    if (!stamp_of(what, whole, stamp, error))
        return false;
    if (look_up(store, whole, stamp, text, error))
        return true;
    return error->status == WB_OK && digest_of_file(what, whole, text, error) == WB_OK &&
           keep(store, whole, stamp, text, error);
}

bool files_own_digest(const Store *store, char text[DIGEST_TEXT_SIZE], Error *error)
{
    return files_digest(store, "program", "/proc/self/exe", text, error);
}

/* -- folders -- */

typedef VEC(char *) Paths;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

static void collect(const char *folder, const char *ending, Paths *paths)
{
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[PATH_MAX];
        struct stat about;
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            stat(path, &about))
            continue;
        if (S_ISDIR(about.st_mode))
            collect(path, ending, paths);
        else if (ends_with(path, ending))
            VEC_PUSH(paths, xcopy_text(path));
    }
    if (directory)
        closedir(directory);
}

static int by_name(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

bool files_digest_below(const Store *store, const char *folder, const char *ending,
                        char text[DIGEST_TEXT_SIZE], Error *error)
{
    Paths paths = {0};
    Digest all = digest_begin();
    collect(folder, ending, &paths);
    if (paths.count)
        qsort(paths.items, paths.count, sizeof *paths.items, by_name);
    for (uint32_t i = 0; i < paths.count; i++) {
        char one[DIGEST_TEXT_SIZE];
        if (error->status == WB_OK && files_digest(store, "file", paths.items[i], one, error)) {
            digest_add_text(&all, paths.items[i] + strlen(folder));
            digest_add_text(&all, one);
        }
        xfree(paths.items[i]);
    }
    VEC_FREE(&paths);
    digest_end(&all, text);
    return error->status == WB_OK;
}

bool files_digest_some(const Store *store, const char *folder, const char *const *names, size_t count,
                       char text[DIGEST_TEXT_SIZE], Error *error)
{
    Digest all = digest_begin();
    for (size_t i = 0; i < count && error->status == WB_OK; i++) {
        char path[PATH_MAX], one[DIGEST_TEXT_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (access(path, F_OK) == 0 && files_digest(store, "library", path, one, error)) {
            digest_add_text(&all, names[i]);
            digest_add_text(&all, one);
        }
    }
    digest_end(&all, text);
    return error->status == WB_OK;
}
