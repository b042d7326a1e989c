/* What a piece of a program writes to standard output (1) or standard error (2). */
#pragma once

#include <string>
#include <unistd.h>

#include "check.h"

/* Invariant: descriptor is 0 while nothing is captured. */
static struct {
    int descriptor, saved;
    FILE *file;
} capture;

static std::string capture_end()
{
    fflush(stdout);
    dup2(capture.saved, capture.descriptor);
    close(capture.saved);
    capture.descriptor = 0;
    std::string text;
    rewind(capture.file);
    for (int c; (c = fgetc(capture.file)) != EOF;)
        text += (char)c;
    fclose(capture.file);
    return text;
}

template <typename Call> static std::string captured(int descriptor, Call call)
{
    fflush(stdout);
    capture = {descriptor, dup(descriptor), tmpfile()};
    dup2(fileno(capture.file), descriptor);
    // A program that ends in between shows what it had to say.
    static const int at_end = atexit([] {
        if (capture.descriptor)
            printf("%s", capture_end().c_str());
    });
    (void)at_end;
    call();
    return capture_end();
}

static inline bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}
