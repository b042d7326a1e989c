/* From counts by instruction to counts by source line: instructions of one line are added up whatever
 * function they were inlined into, and each file is read once for its text. */
#include "api/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

/* -- texts -- */

/* Bytes of the UTF-8 character at the beginning of the text; 0: it is none. */
static size_t character_bytes(const unsigned char *text, size_t length)
{
    const unsigned char first = *text;
    const size_t bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (!first || !bytes || bytes > length || first > 0xF4)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    const bool is_long = (first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90);
    const bool is_none = (first == 0xED && text[1] > 0x9F) || (first == 0xF4 && text[1] > 0x8F);
    return is_long || is_none ? 0 : bytes;
}

/* What is no UTF-8 becomes question marks. */
static char *copy_text(const char *text, size_t length)
{
    char *copy = xmalloc(length + 1);
    for (size_t i = 0; i < length;) {
        const size_t bytes = character_bytes((const unsigned char *)text + i, length - i);
        if (bytes)
            memcpy(copy + i, text + i, bytes);
        else
            copy[i] = '?';
        i += bytes ? bytes : 1;
    }
    copy[length] = '\0';
    return copy;
}

/* Takes the text in, if there is room for it. */
static void keep_text(SourceFiles *sources, SourceFile *file, const char *text, size_t length)
{
    if (length > SOURCE_TEXT_LIMIT - sources->bytes)
        return;
    file->text = copy_text(text, length);
    sources->bytes += length;
}

static bool read_text(SourceFiles *sources, SourceFile *file, const char *path)
{
    struct stat about;
    Error ignored = {0};
    size_t length;
    if (stat(path, &about) || !S_ISREG(about.st_mode))
        return false;
    if ((uint64_t)about.st_size > SOURCE_TEXT_LIMIT - sources->bytes)
        return true;
    char *text = file_read("source file", path, &length, &ignored);
    if (text)
        keep_text(sources, file, text, length);
    xfree(text);
    return text != NULL;
}

/* A file of the folder that the PTX is in. */
static bool read_beside(SourceFiles *sources, SourceFile *file, const Module *module, const char *name)
{
    char path[4096];
    const char *folder_end = strrchr(module->file_name, '/');
    snprintf(path, sizeof path, "%.*s%s", folder_end ? (int)(folder_end - module->file_name + 1) : 0,
             module->file_name, name);
    return read_text(sources, file, path);
}

/* A source is where .file says, seen from the PTX or from here, or, by its last name, beside the PTX. */
static void read_source(SourceFiles *sources, SourceFile *file, const Module *module)
{
    const char *last = strrchr(file->name, '/');
    if (file->name[0] != '/' && read_beside(sources, file, module, file->name))
        return;
    if (!read_text(sources, file, file->name) && last)
        read_beside(sources, file, module, last + 1);
}

/* The module's text, or of a linked one the part that has the line. */
static void keep_ptx(SourceFiles *sources, SourceFile *file, const Module *module, uint32_t line)
{
    const char *begin = module->text, *end = module->text + module->text_length;
    size_t ignored;
    for (uint32_t i = 0; i < module->part_count; i++) {
        if (module->parts[i].first_line <= line)
            begin = module_line(module, module->parts[i].first_line, &ignored);
        else if (end == module->text + module->text_length)
            end = module_line(module, module->parts[i].first_line, &ignored);
    }
    keep_text(sources, file, begin, (size_t)(end - begin));
}

/* The file's number; *is_new: it is not known yet, and has no text. */
static uint32_t file_number(SourceFiles *sources, const char *name, bool *is_new)
{
    uint32_t number;
    *is_new = !map_get(&sources->numbers, name, strlen(name), &number);
    if (!*is_new)
        return number;
    const SourceFile file = {.name = copy_text(name, strlen(name))};
    number = sources->files.count;
    VEC_PUSH(&sources->files, file);
    map_put(&sources->numbers, file.name, strlen(file.name), number);
    return number;
}

void sources_free(SourceFiles *sources)
{
    for (uint32_t i = 0; i < sources->files.count; i++) {
        xfree(sources->files.items[i].name);
        xfree(sources->files.items[i].text);
    }
    VEC_FREE(&sources->files);
    map_free(&sources->numbers);
    *sources = (SourceFiles){0};
}

/* -- lines -- */

/* What the linker adds at a function's end is where its last instruction is. */
static const PtxInsn *written(const Program *program, uint32_t pc)
{
    const ProgramFunction *function = &program->functions[program->code[pc].function];
    while (pc > function->first && !program->code[pc].ptx)
        pc--;
    return program->code[pc].ptx;
}

static void find_place(SourceFiles *sources, const Program *program, uint32_t pc, LineRecord *line)
{
    const ProgramFunction *function = &program->functions[program->code[pc].function];
    const Module *module = function->module;
    const PtxInsn *insn = written(program, pc);
    bool is_new;
    if (insn && insn->source.line && insn->source.file < module->file_count &&
        module->files[insn->source.file]) {
        line->file = file_number(sources, module->files[insn->source.file], &is_new);
        line->line = insn->source.line;
        if (is_new)
            read_source(sources, &sources->files.items[line->file], module);
        return;
    }
    const uint32_t place = insn ? insn->place.line : function->function->place.line;
    line->file = file_number(sources, module_file(module, place, &line->line), &is_new);
    if (is_new)
        keep_ptx(sources, &sources->files.items[line->file], module, place);
}

static void add_counts(InsnProfile *to, const InsnProfile *counts)
{
    to->issued += counts->issued;
    to->threads += counts->threads;
    for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
        to->waited[wait] += counts->waited[wait];
}

static int by_place(const void *a, const void *b)
{
    const LineRecord *one = a, *other = b;
    if (one->file != other->file)
        return one->file < other->file ? -1 : 1;
    return (one->line > other->line) - (one->line < other->line);
}

uint64_t line_waited(const LineRecord *line)
{
    uint64_t sum = 0;
    for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
        sum += line->counts.waited[wait];
    return sum;
}

LineRecord *lines_of_profile(const LineProfile *profile, SourceFiles *sources, uint32_t *count)
{
    VEC(LineRecord) lines = {0};
    for (uint32_t c = 0; c < profile->codes.count; c++) {
        const Program *program = profile->codes.items[c]->program;
        InsnProfile *counts = code_profile_sum(profile->codes.items[c]);
        for (uint32_t pc = 0; pc < program->code_count; pc++) {
            LineRecord line = {.counts = counts[pc]};
            if (!line.counts.issued && !line_waited(&line))
                continue;
            find_place(sources, program, pc, &line);
            VEC_PUSH(&lines, line);
        }
        xfree(counts);
    }
    *count = 0;
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, by_place);
    for (uint32_t i = 0; i < lines.count; i++) {
        if (*count && by_place(&lines.items[*count - 1], &lines.items[i]) == 0)
            add_counts(&lines.items[*count - 1].counts, &lines.items[i].counts);
        else
            lines.items[(*count)++] = lines.items[i];
    }
    return lines.items;
}

const char *line_text(const SourceFiles *sources, const LineRecord *line, size_t *length)
{
    const char *at = sources->files.items[line->file].text;
    for (uint32_t i = 1; at && i < line->line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return NULL;
    at += strspn(at, " \t");
    *length = strcspn(at, "\r\n");
    return at;
}

const char *wait_name(Wait wait)
{
    static const char *const names[WAIT_COUNT] = {
        [WAIT_NONE] = "ready",      [WAIT_RESULT] = "result",   [WAIT_SHARED] = "shared",
        [WAIT_MEMORY] = "memory",   [WAIT_FETCH] = "fetch",     [WAIT_BRANCH] = "branch",
        [WAIT_FENCE] = "fence",     [WAIT_BARRIER] = "barrier", [WAIT_UNIT] = "unit",
        [WAIT_PAUSE] = "pause",     [WAIT_BLOCK] = "block",     [WAIT_SUSPEND] = "suspend",
        [WAIT_DRAIN] = "drain",
    };
    return names[wait];
}
