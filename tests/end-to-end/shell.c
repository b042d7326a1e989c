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

void shell_expect(const char *arguments, const char *const *said)
{
    static char output[1 << 16];
    char command[2048];
    snprintf(command, sizeof command, "'%s/bin/warpbeam' %s 2>&1", shell_build_folder(), arguments);
    if (shell_run(command, output, sizeof output))
        fail_msg("%s", output);
    for (; *said; said++)
        if (!strstr(output, *said))
            fail_msg("'%s' is not said:\n%s", *said, output);
}

void shell_write(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}
