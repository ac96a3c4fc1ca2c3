/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe.h"

void reasons_add(struct reasons *r, const char *fmt, ...)
{
    size_t used = strlen(r->text);
    va_list ap;
    if (used && used + 3 < sizeof r->text) {
        memcpy(r->text + used, "; ", 3);
        used += 2;
    }
    va_start(ap, fmt);
    vsnprintf(r->text + used, sizeof r->text - used, fmt, ap);
    va_end(ap);
}

bool read_line(const char *path, char *line, size_t len)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool ok = fgets(line, (int)len, f) != NULL;
    if (ok)
        line[strcspn(line, "\n")] = '\0';
    fclose(f);
    return ok;
}
