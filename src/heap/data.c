/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "heap/data.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/log.h"

static struct gs_data data = {.fd = -1};
static bool opened;
static size_t page;

/* Raw system calls: sanitizers' wrappers would report the gaps that they keep between variables, or drop their shadow. */
static void *map_over(int flags)
{
    return (void *)syscall(SYS_mmap, data.base, data.size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, data.fd, 0L);
}

/* The writable part of the executable: its last segments, of which there are several with large data (-mcmodel=medium)
 * and with lld, which puts what becomes read-only in one of its own in front. */
enum { PARTS_MAX = 8 };
struct found {
    uintptr_t start, end;
    struct {
        uintptr_t start, end;
    } file[PARTS_MAX]; /* what comes from the file; the rest is .bss, or a gap */
    int parts;
    unsigned long long id;
};

static unsigned long long hash(unsigned long long h, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 1099511628211ull;
    return h;
}

static void hash_build_id(struct found *f, uintptr_t at, size_t len)
{
    for (uintptr_t end = at + len; at + sizeof(ElfW(Nhdr)) <= end;) {
        const ElfW(Nhdr) *note = (const void *)at;
        uintptr_t desc = at + sizeof *note + ((note->n_namesz + 3) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
            f->id = hash(f->id, (const void *)desc, note->n_descsz);
        at = desc + ((note->n_descsz + 3) & ~3u);
    }
}

static int executable(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct found *f = arg;
    uintptr_t relro_end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO)
            relro_end = at + p->p_memsz;
        if (p->p_type == PT_NOTE && p->p_align <= 4)
            hash_build_id(f, at, p->p_memsz);
        if (p->p_type != PT_LOAD)
            continue;
        if (!(p->p_flags & PF_W)) { /* only what lies behind it */
            f->parts = 0;
            f->start = f->end = 0;
            continue;
        }
        if (f->parts == 0)
            f->start = at;
        f->end = at + p->p_memsz;
        if (f->parts < PARTS_MAX)
            f->file[f->parts++].start = at;
        f->file[f->parts - 1].end = at + p->p_filesz;
    }
    if (relro_end > f->start)
        f->start = relro_end < f->end ? relro_end : f->end;
    return 1; /* the first object is the executable */
}

/* Pages of .bss that nothing has touched are zero there and in a new file alike: not copying them is what keeps gigabytes
 * of .bss free of charge. Looks at many pages with one call. */
struct pagemap {
    int fd;
    uint64_t entries[4096];
    size_t first, count; /* page numbers that entries holds */
};

static bool touched(struct pagemap *m, uintptr_t at)
{
    size_t number = at / page;
    if (number - m->first >= m->count) {
        ssize_t got = m->fd < 0 ? -1 : pread(m->fd, m->entries, sizeof m->entries, (off_t)(number * sizeof *m->entries));
        m->first = number;
        m->count = got > 0 ? (size_t)got / sizeof *m->entries : 0;
        if (m->count == 0)
            return true;
    }
    return m->entries[number - m->first] >> 62; /* bit 63: present, bit 62: swapped */
}

static bool from_file(const struct found *f, uintptr_t at)
{
    for (int i = 0; i < f->parts; i++)
        if (at + page > f->file[i].start && at < f->file[i].end)
            return true;
    return false;
}

static int copy_out(const struct found *f)
{
    struct pagemap m = {.fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
    int rc = 0;
    for (size_t off = 0; off < data.size && rc == 0; off += page) {
        uintptr_t at = data.base + off;
        if (!from_file(f, at) && !touched(&m, at))
            continue;
        if (syscall(SYS_pwrite64, data.fd, at, page, off) != (long)page)
            rc = -1;
    }
    if (m.fd >= 0)
        close(m.fd);
    return rc;
}

/* ---- fork: the child gets a private copy, as it would of ordinary variables ----
 * The parent waits until the child has its copy; otherwise what it writes next could show up in the child. */

static _Thread_local int fork_pipe[2] = {-1, -1};
static bool is_child; /* the variables are private already: a child of a child gets them as usual */

static void fork_prepare(void)
{
    if (is_child)
        return;
    if (pipe2(fork_pipe, O_CLOEXEC) != 0)
        fork_pipe[0] = fork_pipe[1] = -1;
}

static void fork_parent(void)
{
    if (is_child || fork_pipe[0] < 0)
        return;
    int saved = errno;
    close(fork_pipe[1]);
    char c;
    while (read(fork_pipe[0], &c, 1) < 0 && errno == EINTR)
        ;
    close(fork_pipe[0]);
    errno = saved;
}

/* Makes a page of a private mapping ours. It may begin in a gap that a sanitizer keeps between variables. */
__attribute__((noinline, no_sanitize_address, no_sanitize_thread)) static void write_page(uintptr_t at)
{
    volatile char *p = (volatile char *)at;
    *p = *p;
}

static void fork_child(void)
{
    if (is_child)
        return;
    is_child = true;
    if (map_over(MAP_PRIVATE) == MAP_FAILED)
        _exit(127);
    for (off_t at = 0; (at = lseek(data.fd, at, SEEK_DATA)) >= 0;) {
        off_t end = lseek(data.fd, at, SEEK_HOLE);
        for (; at < end; at += (off_t)page)
            write_page(data.base + (size_t)at);
    }
    if (fork_pipe[0] >= 0) {
        close(fork_pipe[0]);
        close(fork_pipe[1]);
    }
}

int gs_data_open(struct gs_data *out)
{
    if (opened) {
        *out = data;
        return 0;
    }
    page = (size_t)sysconf(_SC_PAGESIZE);
    struct found f = {.id = 14695981039346656037ull};
    dl_iterate_phdr(executable, &f);
    struct stat st;
    if (f.id == 14695981039346656037ull && stat("/proc/self/exe", &st) == 0) { /* built without a build id */
        f.id = hash(f.id, &st.st_ino, sizeof st.st_ino);
        f.id = hash(f.id, &st.st_size, sizeof st.st_size);
    }
    data.id = f.id;
    data.base = f.start & ~(page - 1);
    data.size = ((f.end + page - 1) & ~(page - 1)) - data.base;
    if (f.end == f.start)
        data.size = 0;
    if (data.size == 0)
        goto done;

    data.fd = memfd_create("gin_shmem-data", MFD_CLOEXEC);
    if (data.fd < 0 || ftruncate(data.fd, (off_t)data.size) != 0 || copy_out(&f) != 0) {
        gs_error("cannot copy the program's %zu bytes of global variables to shared memory (%s): free memory, or set "
                 "GIN_SHMEM_SYMMETRIC_DATA=0 if the program does not use them as symmetric objects", data.size,
                 strerror(errno));
        goto close_fd;
    }
    int rc = pthread_atfork(fork_prepare, fork_parent, fork_child);
    if (rc != 0) {
        gs_error("cannot register fork handlers (%s)", strerror(rc));
        goto close_fd;
    }
    if (map_over(MAP_SHARED) == MAP_FAILED) {
        gs_error("cannot map the program's global variables shared (%s)", strerror(errno));
        goto close_fd;
    }
done:
    opened = true;
    *out = data;
    return 0;

close_fd: /* the variables stay where they were */
    if (data.fd >= 0)
        close(data.fd);
    data = (struct gs_data){.fd = -1};
    return -1;
}
