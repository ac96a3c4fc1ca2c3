/* SPDX-License-Identifier: BSD-3-Clause */
/* oshrun's own messages: "oshrun: text", each in one piece, on stderr. Main thread only. */
#ifndef GS_LAUNCHER_SAY_H
#define GS_LAUNCHER_SAY_H

#include <stddef.h>

void gs_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Where messages go instead of straight to stderr, once output is queued there; NULL: straight to stderr. */
extern void (*gs_say_to)(const char *line, size_t len);

#endif
