/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/env.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/log.h"

extern char **environ;

struct gs_env gs_env;

enum kind { KIND_bool, KIND_int, KIND_seconds, KIND_size, KIND_string };

struct row {
    enum kind kind;
    enum gs_env_category category;
    size_t at; /* of the field in struct gs_env */
    const char *name, *alias, *dflt, *help;
};

static const struct row rows[] = {
#define GS_ENV(field, kind, name, alias, dflt, category, help) \
    {KIND_##kind, GS_ENV_##category, offsetof(struct gs_env, field), name, alias, dflt, help},
#include "core/env.def"
#undef GS_ENV
};
/* Row numbers. */
enum {
#define GS_ENV(field, kind, name, alias, dflt, category, help) ROW_##field,
#include "core/env.def"
#undef GS_ENV
    ROWS
};

/* What gs_env_load found for each row. */
static struct {
    const char *set_by;
    bool invalid;
    char *copy; /* of a string: the environment's own may go away */
} found[ROWS];

/* Names in GIN_SHMEM_* that other parts of the project set or read. A name that ends in '_' covers all it begins. */
static const char *const others[] = {"GIN_SHMEM_LAUNCHER", "GIN_SHMEM_TEST_", "GIN_SHMEM_BENCH_"};

/* The digits of a decimal number, with or without a point and an exponent; the value is 0.d0d1d2... * 10^point. */
struct decimal {
    const char *digits; /* may contain the point, which digit_at skips */
    int count, point, dot;
};

enum { EXPONENT_LIMIT = 10000 };

/* Reads a number at text; the first character after it, or NULL when there is none. Not strtod: that follows the
 * locale, takes "inf" and "0x10", and is not exact for large sizes. */
static const char *read_decimal(const char *text, struct decimal *d)
{
    const char *p = text;
    *d = (struct decimal){.digits = text, .dot = -1};
    for (; isdigit((unsigned char)*p) || (*p == '.' && d->dot < 0); p++) {
        if (*p == '.')
            d->dot = d->count;
        else if (++d->count == EXPONENT_LIMIT)
            return NULL;
    }
    if (d->count == 0)
        return NULL;
    d->point = d->dot < 0 ? d->count : d->dot;
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        bool minus = *q == '-';
        if (*q == '-' || *q == '+')
            q++;
        if (!isdigit((unsigned char)*q))
            return p;
        int e = 0;
        for (; isdigit((unsigned char)*q); q++)
            if (e < EXPONENT_LIMIT)
                e = e * 10 + (*q - '0');
        d->point += minus ? -e : e;
        p = q;
    }
    return p;
}

/* Digit i after the point of 0.d0d1d2...; zeros before and behind those written. */
static int digit_at(const struct decimal *d, int i)
{
    if (i < 0 || i >= d->count)
        return 0;
    return d->digits[i + (d->dot >= 0 && i >= d->dot)] - '0';
}

/* ceil(d * 2^shift) into bytes; false when that is too large. shift is at most 40. */
static bool scale_up(const struct decimal *d, unsigned shift, size_t *bytes)
{
    enum { FRACTION_DIGITS = 18 };
    unsigned __int128 value = 0, fraction = 0, unit = 1;
    int first = 0;
    while (first < d->count && digit_at(d, first) == 0)
        first++;
    for (int i = first; first < d->count && i < d->point; i++) {
        value = value * 10 + (unsigned)digit_at(d, i);
        if (value > SIZE_MAX)
            return false;
    }
    for (int i = 0; i < FRACTION_DIGITS; i++) {
        fraction = fraction * 10 + (unsigned)digit_at(d, d->point + i);
        unit *= 10;
    }
    fraction <<= shift;
    value = (value << shift) + fraction / unit;
    bool more = fraction % unit != 0;
    for (int i = d->point + FRACTION_DIGITS; !more && i < d->count; i++)
        more = digit_at(d, i) != 0;
    value += more;
    if (value > SIZE_MAX)
        return false;
    *bytes = (size_t)value;
    return true;
}

int gs_env_parse_size(const char *text, size_t *bytes)
{
    static const char suffixes[] = "kmgt";
    struct decimal d;
    const char *p = read_decimal(text, &d);
    if (!p)
        return -1;
    unsigned shift = 0;
    if (*p) {
        const char *s = strchr(suffixes, tolower((unsigned char)*p));
        if (!s)
            return -1;
        shift = 10 * (unsigned)(s - suffixes + 1);
    }
    return scale_up(&d, shift, bytes) ? 0 : -1;
}

/* any: what is not a known word counts as true. */
static bool parse_bool(const char *text, bool any, bool *value)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"", false}, {"0", false},  {"no", false}, {"off", false}, {"false", false},
                 {"1", true}, {"yes", true}, {"on", true},  {"true", true}};
    *value = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i].word) == 0) {
            *value = words[i].value;
            return true;
        }
    return any;
}

static bool parse_int(const char *text, long *value)
{
    char *end;
    if (!isdigit((unsigned char)text[text[0] == '-']))
        return false;
    errno = 0;
    *value = strtol(text, &end, 10);
    return *end == '\0' && errno == 0;
}

static bool parse_seconds(const char *text, double *value)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"min", 60}, {"h", 3600}};
    struct decimal d;
    const char *p = read_decimal(text, &d);
    if (!p)
        return false;
    double number = 0, place = 1;
    for (int i = 0; i < d.point && i < 18; i++)
        number = number * 10 + digit_at(&d, i);
    for (int i = 0; i < 9; i++)
        number += digit_at(&d, d.point + i) * (place /= 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(p, units[i].unit) == 0) {
            *value = number * units[i].seconds;
            return d.point <= 18;
        }
    return false;
}

static const char *grammar(const struct row *r)
{
    switch (r->kind) {
    case KIND_bool:
        return "1, yes, on, true, 0, no, off or false";
    case KIND_int:
        return "a whole number";
    case KIND_seconds:
        return "a time such as 30, 1.5, 500ms, 2m or 1h";
    case KIND_size:
        return "a size: a number that is not negative, such as 512 or 1.5, and perhaps one of k, m, g and t behind it";
    case KIND_string:
        break;
    }
    return "text";
}

/* text into the row's field of env. */
static bool parse(const struct row *r, const char *text, struct gs_env *env)
{
    void *field = (char *)env + r->at;
    switch (r->kind) {
    case KIND_bool:
        return parse_bool(text, r->category == GS_ENV_STANDARD, field);
    case KIND_int:
        return parse_int(text, field);
    case KIND_seconds:
        return parse_seconds(text, field);
    case KIND_size:
        return gs_env_parse_size(text, field) == 0;
    case KIND_string:
        break;
    }
    *(const char **)field = *text ? text : NULL;
    return true;
}

static void set_default(const struct row *r, struct gs_env *env)
{
    if (r->dflt && !parse(r, r->dflt, env)) {
        gs_error("the default '%s' of %s is not %s: a mistake in env.def", r->dflt, r->name, grammar(r));
        abort();
    }
}

/* Finds the row in the environment and puts its value into env. */
static int load_row(size_t i, struct gs_env *env)
{
    const struct row *r = &rows[i];
    const char *name = r->name, *text = getenv(name);
    if (!text && r->alias)
        text = getenv(name = r->alias);
    free(found[i].copy);
    found[i].copy = NULL;
    found[i].invalid = false;
    found[i].set_by = text ? name : NULL;
    set_default(r, env);
    if (!text)
        return 0;
    if (r->kind == KIND_string) {
        if (*text == '\0') {
            found[i].set_by = NULL;
            return 0;
        }
        text = found[i].copy = strdup(text);
        if (!text) {
            gs_error("no memory to read %s", name);
            return -1;
        }
    }
    if (!parse(r, text, env)) {
        gs_error("%s='%s' is %s: give %s", name, text, r->kind == KIND_size ? "not a size, or too large" : "not valid",
                 grammar(r));
        set_default(r, env);
        found[i].invalid = true;
        return -1;
    }
    return 0;
}

static const char *const level_names[] = {
    [GS_ERROR] = "error", [GS_WARN] = "warn", [GS_INFO] = "info", [GS_DEBUG] = "debug"};

static int set_log_level(struct gs_env *env)
{
    int rc = 0;
    size_t level = 0, levels = sizeof level_names / sizeof *level_names;
    while (level < levels && strcmp(env->log, level_names[level]) != 0)
        level++;
    if (level == levels) {
        gs_error("GIN_SHMEM_LOG='%s' is not valid: give error, warn, info or debug", env->log);
        found[ROW_log].invalid = true;
        set_default(&rows[ROW_log], env);
        level = GS_WARN;
        rc = -1;
    }
    gs_log_level = env->debug ? GS_DEBUG : (enum gs_level)level;
    return rc;
}

int gs_env_load(void)
{
    struct gs_env env;
    int rc = 0;
    memset(&env, 0, sizeof env);
    for (size_t i = 0; i < ROWS; i++)
        if (load_row(i, &env))
            rc = -1;
    if (set_log_level(&env))
        rc = -1;
    gs_env = env;
    return rc;
}

/* Number of insertions, deletions and replacements between two names; names are cut at 63. */
static unsigned distance(const char *a, size_t alen, const char *b)
{
    unsigned row[64];
    size_t blen = strnlen(b, 63);
    for (size_t j = 0; j <= blen; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= alen; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= blen; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[blen];
}

static bool is_known(const char *name, size_t len)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t n = strlen(others[i]);
        if (len >= n && memcmp(others[i], name, n) == 0 && (len == n || others[i][n - 1] == '_'))
            return true;
    }
    return false;
}

void gs_env_warn_unknown(void)
{
    static const char prefix[] = "GIN_SHMEM_";
    for (char **e = environ; *e; e++) {
        size_t len = strcspn(*e, "=");
        if (strncmp(*e, prefix, sizeof prefix - 1) != 0 || is_known(*e, len))
            continue;
        const char *nearest = NULL;
        unsigned least = UINT_MAX;
        for (size_t i = 0; i < ROWS; i++) {
            unsigned d = distance(*e, len < 200 ? len : 200, rows[i].name);
            if (rows[i].category == GS_ENV_GIN_SHMEM && d < least) {
                least = d;
                nearest = rows[i].name;
            }
        }
        gs_warn(
            "nothing reads the variable %.*s; the nearest that has a meaning is %s (gin_shmem_info --env lists all)",
            (int)len, *e, nearest);
    }
}

size_t gs_env_rows(void)
{
    return ROWS;
}

static void size_text(size_t v, char *to, size_t len)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    unsigned unit = 0;
    while (unit < 4 && v && v % 1024 == 0) {
        v /= 1024;
        unit++;
    }
    snprintf(to, len, "%zu%s", v, units[unit]);
}

struct gs_env_row gs_env_row(size_t i)
{
    const struct row *r = &rows[i];
    struct gs_env_row out = {.name = r->name,
                             .alias = r->alias,
                             .dflt = r->dflt,
                             .help = r->help,
                             .category = r->category,
                             .set_by = found[i].set_by,
                             .invalid = found[i].invalid};
    const void *field = (const char *)&gs_env + r->at;
    switch (r->kind) {
    case KIND_bool:
        snprintf(out.value, sizeof out.value, "%d", *(const bool *)field);
        break;
    case KIND_int:
        snprintf(out.value, sizeof out.value, "%ld", *(const long *)field);
        break;
    case KIND_seconds:
        snprintf(out.value, sizeof out.value, "%g", *(const double *)field);
        break;
    case KIND_size:
        size_text(*(const size_t *)field, out.value, sizeof out.value);
        break;
    case KIND_string: {
        const char *text = *(const char *const *)field;
        if (text && r->at == offsetof(struct gs_env, token))
            text = "(not shown)";
        snprintf(out.value, sizeof out.value, "%s", text ? text : "");
        break;
    }
    }
    return out;
}

void gs_env_print(FILE *to, bool all)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct gs_env_row r = gs_env_row(i);
        if (r.category == GS_ENV_INTERNAL && !all)
            continue;
        fprintf(to, "%s=%s", r.name, r.value);
        if (r.invalid)
            fprintf(to, " (%s is not valid; the default holds)\n", r.set_by);
        else if (r.set_by)
            fprintf(to, " (set%s%s; default %s)\n", r.set_by == r.name ? "" : " by ",
                    r.set_by == r.name ? "" : r.set_by, r.dflt ? r.dflt : "none");
        else
            fprintf(to, " (default)\n");
        fprintf(to, "    %s\n", r.help);
        if (r.alias)
            fprintf(to, "    Deprecated name: %s\n", r.alias);
    }
}
