/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* core/job.h declares it as well, but brings layers that log.c must do without. */
_Noreturn void gs_job_abort(int status, const char *message);

/* A longer line is cut and ends in "...". At most PIPE_BUF (4096), so that a write to a pipe stays in one piece. */
enum { LINE_MAX_BYTES = 2048 };

enum gs_level gs_log_level = GS_WARN;
int gs_log_pe = -1;

/* Appends to a line whose last byte is kept for the newline; the length after that, at most the capacity. */
static size_t append(char *line, size_t used, const char *fmt, va_list ap)
{
    size_t room = LINE_MAX_BYTES - used;
    int n = vsnprintf(line + used, room, fmt, ap);
    if (n < 0)
        return used;
    if ((size_t)n < room)
        return used + (size_t)n;
    memcpy(line + LINE_MAX_BYTES - 4, "...", 3);
    return LINE_MAX_BYTES - 1;
}

__attribute__((format(printf, 3, 4))) static size_t appendf(char *line, size_t used, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    used = append(line, used, fmt, ap);
    va_end(ap);
    return used;
}

static void emit(const char *fn, const char *fmt, va_list ap)
{
    int saved = errno;
    char line[LINE_MAX_BYTES];
    size_t n = appendf(line, 0, "gin_shmem: ");
    if (gs_log_pe >= 0)
        n = appendf(line, n, "PE %d: ", gs_log_pe);
    if (fn)
        n = appendf(line, n, "%s: ", fn);
    errno = saved; /* for %m */
    n = append(line, n, fmt, ap);
    if (line[n - 1] != '\n')
        line[n++] = '\n';
    while (write(STDERR_FILENO, line, n) < 0 && errno == EINTR) {
    }
    errno = saved;
}

void gs_log(enum gs_level level, const char *fmt, ...)
{
    if (level > gs_log_level)
        return;
    va_list ap;
    va_start(ap, fmt);
    emit(NULL, fmt, ap);
    va_end(ap);
}

/* pshmem_put -> shmem_put; shmem_p stays. */
static const char *public_name(const char *fn)
{
    static const char *const after_p[] = {"sh", "start_pes", "_my_pe", "_num_pes", "my_pe", "num_pes"};
    if (fn[0] == 'p')
        for (size_t i = 0; i < sizeof after_p / sizeof *after_p; i++)
            if (strncmp(fn + 1, after_p[i], strlen(after_p[i])) == 0)
                return fn + 1;
    return fn;
}

void gs_die(const char *fn, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    emit(fn ? public_name(fn) : NULL, fmt, ap);
    va_end(ap);
    gs_job_abort(1, NULL);
}
