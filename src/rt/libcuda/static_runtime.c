/* What becomes of a static CUDA runtime, in a program or in a library of it. It finds our libcuda by itself
 * and wants tables of functions that only NVIDIA's driver has. A program that merely carries one, and uses
 * the driver API, does not come here. */
#include "rt/libcuda/libcuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "rt/settings.h"

/* The library that holds the code; null: it is the program's own. */
static const char *library_of(const void *code)
{
    Dl_info information;
    struct link_map *map = NULL;
    if (!dladdr1(code, &information, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name)
        return NULL;
    return map->l_name;
}

static RtError refuse(const char *library)
{
    settings_give_notice(SETTINGS_NOTICE_STATIC);
    if (library)
        return rt_fail(RT_NOT_SUPPORTED,
                       "The library %s holds the static CUDA runtime, which cannot be replaced: link that "
                       "library again with `nvcc -cudart shared`; the program need not be.",
                       library);
    return rt_fail(RT_NOT_SUPPORTED,
                   "%s is linked with the static CUDA runtime, which cannot be replaced: link it again with "
                   "`nvcc -cudart shared`.",
                   program_invocation_short_name);
}

EXPORT int cuGetExportTable(const void **table, const void *id)
{
    (void)table, (void)id;
    const char *library = library_of(__builtin_return_address(0));
    rt_enter_always(__func__);
    return libcuda_leave(refuse(library));
}
