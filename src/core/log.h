/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages. Every line goes to stderr in one write(2) with a prefix that names the PE, so that lines of different PEs
 * never mix: "gin_shmem: PE 3: text". Any thread, any time, before init too (then without the PE).
 * The function that decides on an error logs it; callers pass it on.
 */
#ifndef GS_LOG_H
#define GS_LOG_H

enum gs_level { GS_ERROR, GS_WARN, GS_INFO, GS_DEBUG };

/* Shown at this level and below; SHMEM_DEBUG raises it to GS_DEBUG, GIN_SHMEM_LOG sets it. */
extern enum gs_level gs_log_level;

void gs_log(enum gs_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));
#define gs_error(...) gs_log(GS_ERROR, __VA_ARGS__)
#define gs_warn(...)  gs_log(GS_WARN, __VA_ARGS__)
#define gs_info(...)  gs_log(GS_INFO, __VA_ARGS__)
#define gs_debug(...) gs_log(GS_DEBUG, __VA_ARGS__)

/* One line "PE p: shmem_x: text", then the whole job ends with status 1. fn is the entry point's name; a leading p of a
 * profiling name is dropped. */
void gs_die(const char *fn, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold, noreturn));

/* Number put before messages; -1: none yet. */
extern int gs_log_pe;

#endif
