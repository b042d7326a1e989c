/* Linking PTX texts. What cuLinkComplete returns must be one block of bytes that cuModuleLoadData takes, so
 * the image is the texts themselves, each behind a line with its length and name. */
#include "rt/libcuda/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/libcuda/jit.h"
#include "rt/libcuda/libcuda.h"

#define IMAGE_MARK "//linked PTX\n"
#define PART_MARK "//part "

enum { INPUT_PTX = 1 }; /* CUjitInputType */
enum { PARTS_AT_MOST = 1024 };

/* What CUlinkState points to: the image as far as it has grown. Each part begins with a line that tells its
 * length and its name. What goes wrong until the end stands in the logs of cuLinkCreate. */
typedef struct Link {
    char *image;
    size_t size;
    unsigned parts;
    JitLogs logs;
} Link;

static RtError no_memory(void)
{
    return rt_fail(RT_MEMORY_ALLOCATION, "The host has no memory left for linking.");
}

static RtError append(Link *link, const char *bytes, size_t size)
{
    char *grown = realloc(link->image, link->size + size + 1);
    if (!grown)
        return no_memory();
    link->image = grown;
    memcpy(grown + link->size, bytes, size);
    link->size += size;
    grown[link->size] = '\0';
    return RT_SUCCESS;
}

bool link_is_image(const void *image) { return strncmp(image, IMAGE_MARK, strlen(IMAGE_MARK)) == 0; }

/* Splits an image into its parts, whose names it terminates: the image is changed. */
static size_t split(char *image, WbSource *sources)
{
    size_t count = 0;
    char *next = image + strlen(IMAGE_MARK);
    while (count < PARTS_AT_MOST && strncmp(next, PART_MARK, strlen(PART_MARK)) == 0) {
        char *name;
        const size_t length = strtoull(next + strlen(PART_MARK), &name, 10);
        char *end = strchr(name, '\n');
        if (!end || strnlen(end + 1, length) != length)
            break;
        *end = '\0';
        sources[count++] = (WbSource){name + strspn(name, " "), end + 1, length};
        next = end + 1 + length;
    }
    return count;
}

RtError link_load(const void *image, RtModule **module)
{
    char *copy = strdup(image);
    WbSource *sources = calloc(PARTS_AT_MOST, sizeof *sources);
    RtError error = RT_SUCCESS;
    if (!copy || !sources)
        error = no_memory();
    if (!error)
        error = rt_module_link(sources, split(copy, sources), module);
    free(sources);
    free(copy);
    return error;
}

static RtError create(unsigned count, const int *options, void **values, void **state)
{
    NEED(state);
    Link *link = calloc(1, sizeof *link);
    RtError error = link ? append(link, IMAGE_MARK, strlen(IMAGE_MARK)) : no_memory();
    if (error) {
        free(link);
        return error;
    }
    link->logs = jit_keep(count, options, values);
    rt_handle_add(RT_HANDLE_LINK, link);
    *state = link;
    return RT_SUCCESS;
}

EXPORT int cuLinkCreate_v2(unsigned count, const int *options, void **values, void **state)
{
    return LIBCUDA(create(count, options, values, state));
}
SAME_AS(cuLinkCreate_v2) int cuLinkCreate(unsigned count, const int *options, void **values, void **state);

static RtError get_link(void *state, Link **link)
{
    if (!rt_handle_is_live(RT_HANDLE_LINK, state))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no linker, or one that was destroyed.", state);
    *link = state;
    return RT_SUCCESS;
}

static RtError add_text(Link *link, int type, const char *text, size_t size, const char *name)
{
    char line[512];
    if (type != INPUT_PTX)
        return rt_fail(
            RT_INVALID_VALUE,
            "Only PTX (input type 1) can be linked; '%s' is of type %d. Compile it with nvcc -ptx.", name,
            type);
    if (link->parts == PARTS_AT_MOST)
        return rt_fail(RT_INVALID_VALUE, "At most %d texts can be linked.", PARTS_AT_MOST);
    const size_t length = strnlen(text, size); /* programs count the zero at the end or do not */
    const int written = snprintf(line, sizeof line, PART_MARK "%zu %.400s\n", length, name);
    RtError error = append(link, line, (size_t)written);
    link->parts++;
    return error ? error : append(link, text, length);
}

static RtError add_data(void *state, int type, const char *data, size_t size, const char *name)
{
    NEED(data);
    Link *link = NULL;
    RtError error = get_link(state, &link);
    if (error)
        return error;
    return jit_note(&link->logs, add_text(link, type, data, size, name ? name : "linked.ptx"));
}

EXPORT int cuLinkAddData_v2(void *state, int type, void *data, size_t size, const char *name, unsigned count,
                            const int *options, void **values)
{
    return LIBCUDA(jit_answer(count, options, values, add_data(state, type, data, size, name)));
}
SAME_AS(cuLinkAddData_v2)
int cuLinkAddData(void *state, int type, void *data, size_t size, const char *name, unsigned count,
                  const int *options, void **values);

static RtError read_file(const char *path, char **text, size_t *size)
{
    FILE *file = fopen(path, "rb");
    *text = NULL;
    if (!file)
        return rt_fail(RT_FILE_NOT_FOUND, "%s cannot be opened: %s.", path, strerror(errno));
    *size = 0;
    if (getdelim(text, size, '\0', file) < 0) {
        free(*text);
        *text = NULL;
    }
    fclose(file);
    return *text ? RT_SUCCESS : rt_fail(RT_FILE_NOT_FOUND, "%s is empty or cannot be read.", path);
}

static RtError add_file(void *state, int type, const char *path)
{
    NEED(path);
    Link *link = NULL;
    char *text;
    size_t size;
    RtError error = get_link(state, &link);
    if (error)
        return error;
    error = read_file(path, &text, &size);
    if (!error) {
        error = add_text(link, type, text, size, path);
        free(text);
    }
    return jit_note(&link->logs, error);
}

EXPORT int cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, const int *options,
                            void **values)
{
    return LIBCUDA(jit_answer(count, options, values, add_file(state, type, path)));
}
SAME_AS(cuLinkAddFile_v2)
int cuLinkAddFile(void *state, int type, const char *path, unsigned count, const int *options, void **values);

/* Whether all that the module's functions refer to was found. */
static RtError check_functions(RtModule *module)
{
    size_t count = 0;
    RtError error = rt_module_functions(module, NULL, 0, &count);
    RtFunction **functions = calloc(count + 1, sizeof *functions);
    if (!error && !functions)
        error = no_memory();
    if (!error)
        error = rt_module_functions(module, functions, count, &count);
    for (size_t i = 0; i < count && !error; i++)
        error = rt_function_ready(functions[i]);
    free(functions);
    return error;
}

/* Links once, to find what is wrong with the texts; the image is linked again when it is loaded. */
static RtError try_to_link(const Link *link)
{
    RtModule *module = NULL;
    RtError error = link_load(link->image, &module);
    if (error)
        return error;
    error = check_functions(module);
    rt_module_unload(module);
    return error;
}

static RtError complete(void *state, void **image, size_t *size)
{
    NEED(image);
    Link *link = NULL;
    RtError error = get_link(state, &link);
    if (!error)
        error = jit_note(&link->logs, try_to_link(link));
    if (error)
        return error;
    *image = link->image;
    if (size)
        *size = link->size + 1;
    return RT_SUCCESS;
}

EXPORT int cuLinkComplete(void *state, void **image, size_t *size)
{
    return LIBCUDA(complete(state, image, size));
}

static RtError destroy(void *state)
{
    Link *link = NULL;
    RtError error = get_link(state, &link);
    if (error)
        return error;
    rt_handle_remove(RT_HANDLE_LINK, link);
    free(link->image);
    free(link);
    return RT_SUCCESS;
}

EXPORT int cuLinkDestroy(void *state) { return LIBCUDA(destroy(state)); }
