/* SPDX-License-Identifier: BSD-3-Clause */
/* For messages: names of the program's functions, and stacks that overflow. */
#define _GNU_SOURCE
#include "cpu/block.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the program's C++ library, where it has one. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) __attribute__((weak));

/* The function that begins at offset at of a mapped ELF file; NULL: its symbols are not there. */
static const char *symbol_in(const unsigned char *file, size_t bytes, uintptr_t at)
{
    const ElfW(Ehdr) *h = (const ElfW(Ehdr) *)file;
    if (bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_shoff + (size_t)h->e_shnum * sizeof(ElfW(Shdr)) > bytes)
        return NULL;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + h->e_shoff);
    for (unsigned i = 0; i < h->e_shnum; i++) {
        const ElfW(Shdr) *s = &sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= h->e_shnum || s->sh_offset + s->sh_size > bytes)
            continue;
        const ElfW(Shdr) *names = &sections[s->sh_link];
        const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + s->sh_offset);
        for (size_t k = 0; k < s->sh_size / sizeof *symbols; k++)
            if ((symbols[k].st_info & 15) == STT_FUNC && symbols[k].st_value == at &&
                names->sh_offset + symbols[k].st_name < bytes)
                return (const char *)(file + names->sh_offset + symbols[k].st_name);
    }
    return NULL;
}

const char *gs_function_name(const void *fn, char *buffer, size_t room)
{
    Dl_info info;
    struct link_map *map = NULL;
    snprintf(buffer, room, "at %p", fn);
    if (!dladdr1(fn, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return buffer;
    const char *path = map->l_name && map->l_name[0] ? map->l_name : "/proc/self/exe";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return buffer;
    unsigned char *file =
        fstat(fd, &st) == 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file == MAP_FAILED)
        return buffer;
    const char *name = symbol_in(file, (size_t)st.st_size, (uintptr_t)fn - map->l_addr);
    if (name) {
        int status = -1;
        char *plain = __cxa_demangle ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
        snprintf(buffer, room, "%.*s", (int)(plain ? strcspn(plain, "(") : strlen(name)), plain ? plain : name);
        free(plain);
    }
    munmap(file, (size_t)st.st_size);
    return buffer;
}

/* ---- overflows ---- */

static struct sigaction before;

static void fault(int sig, siginfo_t *info, void *context)
{
    const struct gs_runner *r = gs_runner_self;
    const struct gs_lane *l = r ? r->running : NULL;
    const uintptr_t a = (uintptr_t)info->si_addr, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)sig, (void)context;
    if (l && l->fibre.stack->guarded && a < (uintptr_t)l->fibre.stack->low &&
        a >= (uintptr_t)l->fibre.stack->low - page)
        gs_block_overflowed(l);
    sigaction(SIGSEGV, &before, NULL); /* not ours: it happens again, and goes where it would have gone */
}

static void install(void)
{
    struct sigaction a = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    sigaction(SIGSEGV, &a, &before);
}

void gs_overflow_watch(void)
{
    enum { ROOM = 64 << 10 };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    stack_t now;
    pthread_once(&once, install);
    if (sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE))
        return; /* a sanitizer's */
    void *p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
        sigaltstack(&(stack_t){.ss_sp = p, .ss_size = ROOM}, NULL);
}
