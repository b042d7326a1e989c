#include "shell.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *shell_build_folder(void)
{
    static char self[512];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    for (int i = 0; i < 2; i++)
        *strrchr(self, '/') = '\0';
    return self;
}

int shell_run(const char *command, char *output, size_t size)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}
