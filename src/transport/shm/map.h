/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory files of the PEs of one host, and the address ranges that they are mapped into: each PE makes files, and all map
 * them. Functions that fail set errno and log nothing. tests/pe-threads has another map.c, for PEs that share a process
 * and so must not map a file a second time.
 */
#ifndef GS_MAP_H
#define GS_MAP_H

#include <stdbool.h>
#include <stddef.h>

/* A file of some PE: open there, as fd of process pid. */
struct gs_map_file {
    int pid, fd;
    bool own; /* this PE's */
};

enum gs_map_result { GS_MAP_DONE, GS_MAP_NOT_OPENED, GS_MAP_NOT_MAPPED };

/* len bytes of address space without memory, or NULL. All PEs make the same calls in the same order. */
char *gs_map_reserve(size_t len);
/* Gives back what reserve gave, and what is mapped there. NULL: nothing. */
void gs_map_unreserve(char *base, size_t len);

/* Maps the file's first len bytes at *at, inside a reserved range. *at: where they are, which tests/pe-threads changes. */
enum gs_map_result gs_map_place(char **at, size_t len, const struct gs_map_file *file);
/* Takes away what place put there; the addresses stay reserved. */
void gs_map_clear(char *at, size_t len, bool own);

#endif
