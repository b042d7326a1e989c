/* Where configuration files are looked for: folders in a fixed order, the first that has the name wins. A
 * file beside the one that inherits from it goes before all of them. */
#include "config/config.h"

#include "base/vec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef VEC(char *) Names;

static void add_folder(Names *folders, const char *format, int length, const char *text)
{
    char *folder;
    if (length > 0 && asprintf(&folder, format, length, text) >= 0)
        VEC_PUSH(folders, folder);
}

static Names search_path(void)
{
    Names folders = {0};
    /* The user's folders first; then what lies beside the program, as an installation or a copied tree has
     * it; then where the build has its own. */
    const char *list = getenv("WARPBEAM_CONFIGS");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        add_folder(&folders, "%.*s", (int)length, list);
        list += length + (list[length] == ':');
    }
    char executable[CONFIG_PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable);
    if (length > 0 && length < (ssize_t)sizeof executable) {
        /* The folder of the program: configs/ beside it, or share/ of an installation. */
        while (length > 0 && executable[length - 1] != '/')
            length--;
        add_folder(&folders, "%.*sconfigs", (int)length, executable);
        add_folder(&folders, "%.*s../share/warpbeam/configs", (int)length, executable);
    }
    add_folder(&folders, "%.*s", (int)strlen(CONFIG_INSTALL_DIRECTORY), CONFIG_INSTALL_DIRECTORY);
    add_folder(&folders, "%.*s", (int)strlen(CONFIG_SOURCE_DIRECTORY), CONFIG_SOURCE_DIRECTORY);
    return folders;
}

static void free_names(Names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->items[i]);
    VEC_FREE(names);
}

static bool file_in(const char *folder, size_t folder_length, const char *name, char path[CONFIG_PATH_SIZE])
{
    int length = snprintf(path, CONFIG_PATH_SIZE, "%.*s/%s.yaml", (int)folder_length, folder, name);
    return length < CONFIG_PATH_SIZE && access(path, R_OK) == 0;
}

bool config_find(const char *name, const char *beside, char path[CONFIG_PATH_SIZE])
{
    /* A path is not searched for. */
    if (!*name || strchr(name, '/'))
        return false;
    if (beside) {
        const char *slash = strrchr(beside, '/');
        if (file_in(slash ? beside : ".", slash ? (size_t)(slash - beside) : 1, name, path))
            return true;
    }
    Names folders = search_path();
    bool found = false;
    for (uint32_t i = 0; i < folders.count && !found; i++)
        found = file_in(folders.items[i], strlen(folders.items[i]), name, path);
    free_names(&folders);
    return found;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void collect(Names *names, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0)
            VEC_PUSH(names, strndup(entry->d_name, length - 5));
    }
    closedir(directory);
}

void config_list(const char *beside, void (*visit)(void *context, const char *name, const char *path),
                 void *context)
{
    Names folders = search_path(), names = {0};
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    if (beside)
        add_folder(&folders, "%.*s", slash ? (int)(slash - beside) : 1, slash ? beside : ".");
    for (uint32_t i = 0; i < folders.count; i++)
        collect(&names, folders.items[i]);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    for (uint32_t i = 0; i < names.count; i++) {
        char path[CONFIG_PATH_SIZE];
        bool repeated = i > 0 && strcmp(names.items[i], names.items[i - 1]) == 0;
        /* A name may be in several folders; the one that would be loaded is shown. */
        if (!repeated && config_find(names.items[i], beside, path))
            visit(context, names.items[i], path);
    }
    free_names(&names);
    free_names(&folders);
}
