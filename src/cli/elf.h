/* What an executable file says about the CUDA libraries that it needs, read without running it. */
#ifndef CLI_ELF_H
#define CLI_ELF_H

#include <stdbool.h>

typedef enum FileKind {
    FILE_UNREADABLE, /* errno tells why */
    FILE_OTHER,      /* no ELF executable of this machine */
    FILE_SCRIPT,     /* begins with #! */
    FILE_ELF
} FileKind;

typedef struct ElfFacts {
    FileKind kind;
    char runtime[32];       /* the version behind libcudart.so., such as "13"; empty: it does not need it */
    bool needs_driver;      /* libcuda.so.1 */
    bool has_device_code;   /* a section .nv_fatbin */
    bool has_old_rpath;     /* DT_RPATH, which is searched before LD_LIBRARY_PATH */
} ElfFacts;

ElfFacts elf_look(const char *path);

#endif
