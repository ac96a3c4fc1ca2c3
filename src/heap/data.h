/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric data segment: the global and static variables of the executable (OpenSHMEM 1.6 section 4, "memory
 * model"). The writable segment is moved onto a memfd at the same address, so that peers can map it.
 */
#ifndef GS_DATA_H
#define GS_DATA_H

#include <stddef.h>
#include <stdint.h>

struct gs_data {
    uintptr_t base; /* page aligned */
    size_t size;    /* bytes, whole pages; 0: the executable has no variables */
    int fd;         /* memfd, or -1 */
    unsigned long long id; /* equal for processes that run the same executable file */
};

/* Moves the segment the first time it is called, and returns the same thing afterwards: the move stays for the life of
 * the process, since pointers into it do. Call while no other thread writes global variables. 0, or nonzero and logged. */
int gs_data_open(struct gs_data *out);

#endif
