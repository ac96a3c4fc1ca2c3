/* SPDX-License-Identifier: BSD-3-Clause */
#include "out.h"

#include <stdarg.h>
#include <string.h>

/* Length of the valid UTF-8 character at s, or 0. */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : n;
}

static void json_string(FILE *to, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', to);
    while (*s) {
        int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", to);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(to, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(to, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)n, to);
        }
        s += n;
    }
    fputc('"', to);
}

static void indent(struct out *o)
{
    fprintf(o->to, "%*s", 2 * o->depth, "");
}

/* Everything that comes before a value. */
static void start(struct out *o, const char *key)
{
    if (o->json) {
        if (o->depth > 0)
            fputs(o->empty[o->depth] ? "\n" : ",\n", o->to);
        indent(o);
        if (key) {
            json_string(o->to, key);
            fputs(": ", o->to);
        }
    } else {
        indent(o);
        if (key) {
            int width = 0;
            for (const char *p = key; *p; p++, width++)
                fputc(*p == '_' ? ' ' : *p, o->to);
            fprintf(o->to, "%*s", width < 22 ? 22 - width : 1, "");
        }
    }
    o->empty[o->depth] = false;
}

static void nest(struct out *o, const char *key, const char *bracket)
{
    if (o->json) {
        start(o, key);
        fputs(bracket, o->to);
    } else if (key) {
        if (o->depth == 0 && !o->empty[0])
            fputc('\n', o->to);
        indent(o);
        for (const char *p = key; *p; p++)
            fputc(*p == '_' ? ' ' : *p, o->to);
        fputc('\n', o->to);
        o->empty[o->depth] = false;
    }
    o->depth++;
    o->empty[o->depth] = true;
}

static void unnest(struct out *o, const char *bracket)
{
    bool empty = o->empty[o->depth];
    o->depth--;
    if (!o->json) {
        if (empty) {
            fprintf(o->to, "%*snone\n", 2 * o->depth + 2, "");
        }
        return;
    }
    if (!empty) {
        fputc('\n', o->to);
        indent(o);
    }
    fputs(bracket, o->to);
    if (o->depth == 0)
        fputc('\n', o->to);
}

void out_open(struct out *o, const char *key)
{
    nest(o, key, "{");
}

void out_close(struct out *o)
{
    unnest(o, "}");
}

void out_list(struct out *o, const char *key)
{
    nest(o, key, "[");
}

void out_list_end(struct out *o)
{
    unnest(o, "]");
}

static void end_line(struct out *o)
{
    if (!o->json)
        fputc('\n', o->to);
}

void out_text(struct out *o, const char *key, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    start(o, key);
    if (o->json)
        json_string(o->to, text);
    else
        fputs(text, o->to);
    end_line(o);
}

void out_null(struct out *o, const char *key)
{
    start(o, key);
    fputs(o->json ? "null" : "none", o->to);
    end_line(o);
}

void out_number(struct out *o, const char *key, long long value)
{
    start(o, key);
    fprintf(o->to, "%lld", value);
    end_line(o);
}

void out_bool(struct out *o, const char *key, bool value)
{
    start(o, key);
    fputs(o->json ? (value ? "true" : "false") : (value ? "yes" : "no"), o->to);
    end_line(o);
}

void out_verdict(struct out *o, bool works, const char *why)
{
    if (o->json) {
        out_bool(o, "works", works);
        out_text(o, "why", "%s", why);
    } else {
        out_text(o, "works", "%s%s%s", works ? "yes" : "no", *why ? ": " : "", why);
    }
}
