/* Records what a real GPU computes for every form.
 *
 *     record OUTPUT            runs all forms and writes their results
 *     record --ptx FOLDER      writes the PTX modules instead, for ptxas
 *     record --list            prints all forms
 *
 * A child process talks to the GPU and reports each form before it runs; when a form kills or hangs the
 * GPU context, the parent names it and starts another child behind it.
 *
 * OUTPUT is a sequence of records: a RecordHeader, then `bytes` bytes of outputs, column by column. */
#include "driver.h"
#include "../golden.h"
#include "../inputs.h"
#include "../kernel.h"
#include "base/alloc.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 64, HANG_MILLISECONDS = 30000, DEVICE_BYTES = 1 << 20 };

/* What a child needs to run forms. */
typedef struct Recorder {
    const FormList *list;
    FILE *out;
    int progress; /* pipe to the parent: the number of the form about to run */
    Driver driver;
    DevicePointer in, outputs, memory;
    uint8_t *pattern; /* DEVICE_BYTES: what %mem points to before a form runs */
} Recorder;

/* The forms of one module: consecutive, of one target. */
static unsigned batch_size(const FormList *list, uint32_t first)
{
    unsigned size = 1;
    while (size < BATCH && first + size < list->count &&
           list->items[first + size].spec.target == list->items[first].spec.target)
        size++;
    return size;
}

static char *batch_text(const FormList *list, uint32_t first, unsigned size)
{
    const Form *forms[BATCH] = {0};
    for (unsigned k = 0; k < size; k++)
        forms[k] = &list->items[first + k];
    return kernel_module(forms, size);
}

/* Leaves the child; the parent goes on behind the form. */
static void give_up(const Form *form, const char *what, const char *why)
{
    fprintf(stderr, "record: %s for '%s': %s\n", what, form->spec.body, why);
    exit(1);
}

static void run_form(Recorder *recorder, const Form *form, void *module, unsigned number)
{
    Driver *driver = &recorder->driver;
    const unsigned vectors = form->spec.vectors;
    const RecordHeader header = {form->key, vectors, vectors * kernel_output_bytes(form)};
    uint64_t *inputs = golden_inputs(form, vectors);
    uint8_t *outputs = xcalloc(1, header.bytes + 1);
    uint8_t value[KERNEL_PARAMETER];
    kernel_fill(value, sizeof value);
    char name[KERNEL_NAME];
    snprintf(name, sizeof name, "form_%u", number);

    int status = driver->copy_in(recorder->in, inputs, (size_t)vectors * kernel_input_bytes(form) + 8);
    if (!status)
        status = driver->set(recorder->outputs, 0, DEVICE_BYTES);
    if (!status && kernel_uses_memory(form))
        status = driver->copy_in(recorder->memory, recorder->pattern, (size_t)vectors * FORM_MEMORY);
    void *function = NULL;
    if (!status)
        status = driver->find(&function, module, name);
    void *arguments[] = {&recorder->in, &recorder->outputs, &recorder->memory, value};
    if (!status)
        status = driver->launch(function, vectors / form->spec.threads, 1, 1, form->spec.threads, 1, 1, 0,
                                NULL, arguments, NULL);
    if (!status)
        status = driver->wait();
    if (!status)
        status = driver->copy_out(outputs, recorder->outputs, header.bytes);
    if (status)
        give_up(form, "the GPU fails", driver_error(driver, status));
    fwrite(&header, sizeof header, 1, recorder->out);
    fwrite(outputs, 1, header.bytes, recorder->out);
    fflush(recorder->out);
    xfree(inputs);
    xfree(outputs);
}

/* Forms that the driver's assembler rejects are named and skipped. */
static void run_batch(Recorder *recorder, uint32_t first, unsigned size)
{
    char *text = batch_text(recorder->list, first, size);
    void *module = NULL;
    char log[4096];
    const int status = driver_load(&recorder->driver, &module, text, log, sizeof log);
    if (status && size > 1) {
        for (unsigned k = 0; k < size; k++)
            run_batch(recorder, first + k, 1);
    } else if (status) {
        fprintf(stderr, "record: skipped '%s': %s: %s\n", recorder->list->items[first].spec.body,
                driver_error(&recorder->driver, status), log);
    }
    for (uint32_t k = 0; !status && k < size; k++) {
        const uint32_t form = first + k;
        if (write(recorder->progress, &form, sizeof form) != sizeof form)
            exit(1);
        run_form(recorder, &recorder->list->items[form], module, k);
    }
    if (!status)
        recorder->driver.unload(module);
    free(text);
}

static void child(const FormList *list, uint32_t first, FILE *out, int progress)
{
    Recorder recorder = {.list = list, .out = out, .progress = progress};
    char why[256];
    if (!driver_open(&recorder.driver, why, sizeof why)) {
        fprintf(stderr, "record: no GPU to record on: %s\n", why);
        exit(2);
    }
    if (recorder.driver.allocate(&recorder.in, DEVICE_BYTES) ||
        recorder.driver.allocate(&recorder.outputs, DEVICE_BYTES) ||
        recorder.driver.allocate(&recorder.memory, DEVICE_BYTES))
        exit(2);
    recorder.pattern = xmalloc(DEVICE_BYTES);
    kernel_fill(recorder.pattern, DEVICE_BYTES);
    while (first < list->count) {
        const unsigned size = batch_size(list, first);
        run_batch(&recorder, first, size);
        first += size;
    }
    exit(0);
}

/* Follows one child; returns the first form that is still to be recorded. */
static uint32_t follow(const FormList *list, pid_t pid, int progress, uint32_t first)
{
    uint32_t form = first - 1;
    struct pollfd poll_fd = {.fd = progress, .events = POLLIN};
    for (;;) {
        const int ready = poll(&poll_fd, 1, HANG_MILLISECONDS);
        uint32_t number;
        if (ready > 0 && read(progress, &number, sizeof number) == sizeof number) {
            form = number;
            continue;
        }
        if (ready == 0) {
            fprintf(stderr, "record: '%s' does not end\n", list->items[form].spec.body);
            kill(pid, SIGKILL);
        }
        break;
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return list->count;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return UINT32_MAX;
    return form + 1 > first ? form + 1 : first + 1;
}

static int record(const FormList *list, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out) {
        fprintf(stderr, "record: cannot write '%s'\n", path);
        return 1;
    }
    for (uint32_t first = 0; first < list->count;) {
        int ends[2];
        if (pipe(ends))
            return 1;
        fflush(out);
        const pid_t pid = fork();
        if (pid == 0)
            child(list, first, out, ends[1]);
        close(ends[1]);
        first = follow(list, pid, ends[0], first);
        close(ends[0]);
        fseek(out, 0, SEEK_END);
        if (first == UINT32_MAX)
            return 1;
    }
    fclose(out);
    printf("recorded %u forms to %s\n", list->count, path);
    return 0;
}

static int write_ptx(const FormList *list, const char *folder)
{
    for (uint32_t first = 0; first < list->count;) {
        const unsigned size = batch_size(list, first);
        char path[4096];
        snprintf(path, sizeof path, "%s/forms_%05u.ptx", folder, first);
        FILE *out = fopen(path, "w");
        char *text = batch_text(list, first, size);
        if (!out || fputs(text, out) < 0 || fclose(out) != 0) {
            fprintf(stderr, "record: cannot write '%s'\n", path);
            return 1;
        }
        free(text);
        first += size;
    }
    return 0;
}

static int print_list(const FormList *list)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const Form *form = &list->items[k];
        bytes += (uint64_t)form->spec.vectors * kernel_output_bytes(form);
        printf("%u\tsm_%u\t%u\t%s\t[%s]\t[%s]\n", k, form->spec.target, form->spec.vectors, form->spec.body,
               form->spec.inputs, form->spec.outputs);
    }
    printf("%u forms, %llu bytes of outputs\n", list->count, (unsigned long long)bytes);
    return 0;
}

int main(int argc, char **argv)
{
    FormList list;
    forms_build(&list);
    int status = 1;
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        status = print_list(&list);
    else if (argc == 3 && strcmp(argv[1], "--ptx") == 0)
        status = write_ptx(&list, argv[2]);
    else if (argc == 2 && argv[1][0] != '-')
        status = record(&list, argv[1]);
    else
        fprintf(stderr, "usage: record OUTPUT | --ptx FOLDER | --list\n");
    forms_free(&list);
    return status;
}
