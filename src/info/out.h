/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes what the probes find, as text for people or as JSON. Keys are lower_case; text shows them with spaces.
 * Inside a list, keys are NULL.
 */
#ifndef GS_INFO_OUT_H
#define GS_INFO_OUT_H

#include <stdbool.h>
#include <stdio.h>

struct out {
    FILE *to;
    bool json;
    int depth;
    bool empty[8]; /* nothing written yet at this depth */
};

void out_open(struct out *o, const char *key); /* a group of keys; in a list, one element */
void out_close(struct out *o);
void out_list(struct out *o, const char *key);
void out_list_end(struct out *o);

void out_text(struct out *o, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void out_null(struct out *o, const char *key); /* "none" in text */
void out_number(struct out *o, const char *key, long long value);
void out_bool(struct out *o, const char *key, bool value);

/* Does it work here? why says what is missing, or in a few words what was tried. */
void out_verdict(struct out *o, bool works, const char *why);

#endif
