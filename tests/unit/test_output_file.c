/* Files that are written as a whole or not at all: what there was stays until then, links and permissions
 * stay, and nothing else is left in the folder. All of it is tried with files that have no name while they
 * are written, and with those of file systems that have none such: the source is compiled into this test
 * under names of its own, with a switch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int temporary_flag = O_TMPFILE;
#undef O_TMPFILE
#define O_TMPFILE temporary_flag
#define output_file_begin tested_begin
#define output_file_stream tested_stream
#define output_file_end tested_end
#include "base/output_file.c"

static char folder[] = "/tmp/warpbeam-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    umount2("disk", MNT_DETACH); /* of tests that have failed */
    umount2("file", MNT_DETACH);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") || system(command);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool holds(const char *path, const char *text)
{
    char all[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    all[fread(all, 1, sizeof all - 1, file)] = '\0';
    fclose(file);
    return strcmp(all, text) == 0;
}

static int entries(const char *path)
{
    int count = -2; /* itself and the one above */
    DIR *directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* Writes the text; returns the sentence, or "" after success. */
static const char *write_text(const char *path, const char *text)
{
    static Error error;
    error_clear(&error);
    OutputFile *file = output_file_begin("text", path, &error);
    if (file) {
        fputs(text, output_file_stream(file));
        const WbStatus status = output_file_end(file, &error);
        assert_int_equal(status, error.status);
    }
    assert_int_equal(error.status == WB_OK, error.text[0] == '\0');
    return error.text;
}

static void files_take_their_place_at_the_end(void **state)
{
    (void)state;
    Error error = {0};
    put("file", "old");
    const int before = entries(".");
    OutputFile *file = output_file_begin("text", "file", &error);
    assert_non_null(file);
    fputs("new", output_file_stream(file));
    fflush(output_file_stream(file));
    assert_true(holds("file", "old"));
    assert_int_equal(entries("."), temporary_flag ? before : before + 1);
    assert_int_equal(output_file_end(file, &error), WB_OK);
    assert_true(holds("file", "new"));
    assert_int_equal(entries("."), before);
    assert_string_equal(write_text("another", "new"), "");
    assert_true(holds("another", "new"));
    const mode_t mask = umask(0022);
    struct stat status;
    assert_int_equal(stat("another", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0666 & ~mask);
    umask(mask);
    remove("another");
}

static void what_is_killed_leaves_the_old(void **state)
{
    (void)state;
    int status;
    put("file", "old");
    const int before = entries(".");
    const pid_t child = fork();
    if (child == 0) {
        Error error = {0};
        OutputFile *file = output_file_begin("text", "file", &error);
        fputs("new", output_file_stream(file));
        fflush(output_file_stream(file));
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(holds("file", "old"));
    if (temporary_flag) {
        assert_int_equal(entries("."), before);
        return;
    }
    char left[64]; /* its name says whose it is */
    snprintf(left, sizeof left, ".file.warpbeam-%d", (int)child);
    assert_int_equal(remove(left), 0);
}

static void links_and_permissions_stay(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(mkdir("inner", 0777), 0);
    put("inner/file", "old");
    assert_int_equal(chmod("inner/file", 0604), 0);
    assert_int_equal(symlink("inner/file", "link") | symlink("../link", "inner/second"), 0);
    assert_int_equal(symlink("inner/none", "dangling") | symlink("round", "round"), 0);
    assert_string_equal(write_text("inner/second", "new"), "");
    assert_true(holds("inner/file", "new"));
    assert_int_equal(stat("inner/file", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0604);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_string_equal(write_text("dangling", "made"), "");
    assert_true(holds("inner/none", "made"));
    assert_int_equal(lstat("dangling", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_non_null(strstr(write_text("round", ""), "Too many levels of symbolic links"));
    assert_int_equal(entries("inner"), 3);
    assert_int_equal(system("rm -r inner link dangling round"), 0);
}

/* A name as long as names may be, and one in a folder that takes no new files. */
static void names_and_folders(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    name[NAME_MAX] = '\0';
    assert_string_equal(write_text(name, "long"), "");
    assert_true(holds(name, "long"));
    remove(name);
    name[NAME_MAX] = 'n';
    name[NAME_MAX + 1] = '\0';
    assert_non_null(strstr(write_text(name, ""), "File name too long"));
    assert_string_equal(write_text("", ""), "The text cannot be written to '': a file needs a name.");
    assert_non_null(strstr(write_text("no/file", ""), "No such file"));
    assert_non_null(strstr(write_text(".", ""), "Is a directory"));
    assert_non_null(strstr(write_text("/proc/self/nothing", ""), "No such file"));
    assert_string_equal(write_text("/dev/null", "nothing"), "");
}

static void failures_are_told(void **state)
{
    (void)state;
    assert_string_equal(write_text("/dev/full", "text"),
                        "The text cannot be written to /dev/full: No space left on device.");
    struct rlimit limit;
    put("file", "old");
    const int before = entries(".");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){2, limit.rlim_max});
    const char *sentence = write_text("file", "new text");
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_string_equal(sentence, "The text cannot be written to file: File too large.");
    assert_true(holds("file", "old"));
    assert_int_equal(entries("."), before);
}

/* Whoever may mount has a disk that is full. */
static void a_full_disk_keeps_the_old(void **state)
{
    (void)state;
    static char large[1 << 17];
    memset(large, 'x', sizeof large - 1);
    assert_int_equal(mkdir("disk", 0777), 0);
    if (mount("none", "disk", "tmpfs", 0, "size=64k")) {
        remove("disk");
        skip();
    }
    put("disk/file", "old");
    const char *sentence = write_text("disk/file", large);
    const bool is_old = holds("disk/file", "old");
    const int left = entries("disk");
    assert_int_equal(umount("disk") | remove("disk"), 0);
    assert_string_equal(sentence, "The text cannot be written to disk/file: No space left on device.");
    assert_true(is_old);
    assert_int_equal(left, 1);
}

/* A file that something is mounted on keeps its name: the text is put into it. */
static void mounted_files_are_filled(void **state)
{
    (void)state;
    put("file", "old");
    put("other", "other");
    if (mount("other", "file", NULL, MS_BIND, NULL))
        skip();
    const char *sentence = write_text("file", "new");
    const int result = umount("file");
    assert_string_equal(sentence, "");
    assert_int_equal(result, 0);
    assert_true(holds("other", "new"));
    assert_true(holds("file", "old"));
    remove("other");
}

/* What the process has open is written on, not made anew. */
static void open_files_are_written_on(void **state)
{
    (void)state;
    char path[64];
    const int file = open("open", O_RDWR | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(write(file, "first ", 6), 6);
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    assert_string_equal(write_text(path, "second "), "");
    assert_int_equal(write(file, "third", 5), 5);
    close(file);
    assert_true(holds("open", "first second third"));
    remove("open");
}

static int without_nameless_files(void **state)
{
    (void)state;
    temporary_flag = 0; /* a folder cannot be opened for writing, as where there is no such flag */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_take_their_place_at_the_end),
        cmocka_unit_test(what_is_killed_leaves_the_old),
        cmocka_unit_test(links_and_permissions_stay),
        cmocka_unit_test(names_and_folders),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(a_full_disk_keeps_the_old),
        cmocka_unit_test(mounted_files_are_filled),
        cmocka_unit_test(open_files_are_written_on),
        cmocka_unit_test_setup(files_take_their_place_at_the_end, without_nameless_files),
        cmocka_unit_test(what_is_killed_leaves_the_old),
        cmocka_unit_test(links_and_permissions_stay),
        cmocka_unit_test(names_and_folders),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(a_full_disk_keeps_the_old),
        cmocka_unit_test(mounted_files_are_filled),
    };
    return cmocka_run_group_tests_name("output_file", tests, make_folder, remove_folder);
}
