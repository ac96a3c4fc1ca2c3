/* SPDX-License-Identifier: BSD-3-Clause */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void (*gs_say_to)(const char *line, size_t len);

void gs_say(const char *fmt, ...)
{
    char line[8192] = "oshrun: ";
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(line + 8, sizeof line - 9, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    size_t len = strlen(line);
    line[len++] = '\n';
    if (gs_say_to)
        gs_say_to(line, len);
    else if (write(STDERR_FILENO, line, len) < 0)
        return; /* nowhere left to tell it */
}
