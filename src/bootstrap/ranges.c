/* SPDX-License-Identifier: BSD-3-Clause */
#include "bootstrap/ranges.h"

#include <stdio.h>

enum { ROOM = 32 }; /* for two numbers, and for "..." */

void gs_ranges(char *text, size_t len, int n, bool (*in)(const void *arg, int i), const void *arg)
{
    size_t at = 0;

    text[0] = 0;
    for (int i = 0; i < n; i++) {
        if (!in(arg, i))
            continue;
        if (at + ROOM > len) {
            snprintf(text + at, len - at, ",...");
            return;
        }
        int last = i;
        while (last + 1 < n && in(arg, last + 1))
            last++;
        at += (size_t)snprintf(text + at, len - at, last > i ? "%s%d-%d" : "%s%d", at ? "," : "", i, last);
        i = last;
    }
}
