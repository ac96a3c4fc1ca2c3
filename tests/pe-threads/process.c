/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process gives a program, for a PE that is a thread: main's end, exit and its handlers, the environment, and the
 * library's way to its module, which is linked in. Definitions in the shared object come before those of libc.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pe_threads.h"

int main(int argc, char **argv);

struct pe pe_self;

/* ---- ends ---- */

enum { HANDLERS_MAX = 32 };
static struct handler {
    void (*fn)(int status, void *arg);
    void (*plain)(void);
    void *arg;
} handlers[HANDLERS_MAX];
static int handler_count;
static pthread_t main_thread;
static jmp_buf main_returns;
static int main_status;

int on_exit(void (*fn)(int, void *), void *arg)
{
    if (handler_count == HANDLERS_MAX)
        return -1;
    handlers[handler_count++] = (struct handler){fn, NULL, arg};
    return 0;
}

int atexit(void (*fn)(void))
{
    if (handler_count == HANDLERS_MAX)
        return -1;
    handlers[handler_count++] = (struct handler){NULL, fn, NULL};
    return 0;
}

/* In this library's tests it is for the end of a job alone. */
void _exit(int status)
{
    pe_self.job->end(status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    _exit(status);
}

static void run_handlers(int status)
{
    while (handler_count > 0) {
        const struct handler *h = &handlers[--handler_count];
        if (h->plain)
            h->plain();
        else
            h->fn(status, h->arg);
    }
}

/* Ends this PE only, on the thread of its main: the runner ends the others when status says so. */
void exit(int status)
{
    fflush(stdout);
    if (!pthread_equal(pthread_self(), main_thread))
        _exit(status);
    run_handlers(status);
    main_status = status & 0xff;
    longjmp(main_returns, 1);
}

__attribute__((visibility("default"))) int pe_enter(const struct pe *pe);
int pe_enter(const struct pe *pe)
{
    char **argv = malloc(sizeof *argv * ((size_t)pe->argc + 1));
    char **own = malloc(sizeof *own);
    size_t n = 0;
    pe_self = *pe;
    main_thread = pthread_self();
    for (char **p = *(char ***)dlsym(RTLD_DEFAULT, "environ"); *p; p++) {
        own = realloc(own, sizeof *own * (n + 2));
        own[n++] = strdup(*p);
    }
    own[n] = NULL;
    environ = own;
    memcpy(argv, pe->argv, sizeof *argv * ((size_t)pe->argc + 1));
    if (setjmp(main_returns) == 0)
        exit(main(pe->argc, argv));
    return main_status;
}

/* ---- the environment: a copy for each PE, which one thread at a time may change ---- */

char **environ;

static char **entry_of(const char *name, size_t len)
{
    for (char **p = environ; p && *p; p++)
        if (strncmp(*p, name, len) == 0 && (*p)[len] == '=')
            return p;
    return NULL;
}

char *getenv(const char *name)
{
    const size_t len = strlen(name);
    char **p = entry_of(name, len);
    return p ? *p + len + 1 : NULL;
}

/* What an older value points to may be in use, and stays. */
int setenv(const char *name, const char *value, int overwrite)
{
    const size_t len = strlen(name);
    char **p = entry_of(name, len), *text = NULL;
    size_t n = 0;
    if (p && !overwrite)
        return 0;
    if (asprintf(&text, "%s=%s", name, value) < 0)
        return -1;
    if (!p) {
        while (environ[n])
            n++;
        char **more = malloc(sizeof *more * (n + 2));
        if (!more) {
            free(text);
            return -1;
        }
        memcpy(more, environ, sizeof *more * n);
        more[n + 1] = NULL;
        environ = more;
        p = &more[n];
    }
    *p = text;
    return 0;
}

int unsetenv(const char *name)
{
    char **p = entry_of(name, strlen(name));
    for (; p && *p; p++)
        p[0] = p[1];
    return 0;
}

/* ---- the CPU machine's module ---- */

void *dlopen(const char *file, int flags)
{
    const char *name = file ? strrchr(file, '/') : NULL;
    name = name ? name + 1 : file;
    if (name && strncmp(name, "libginshmem_cpu.so", 18) == 0)
        return pe_self.handle;
    return pe_self.job->open(file, flags);
}
