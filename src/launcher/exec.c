/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "exec.h"

#include "say.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int push(char ***list, int *n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int push(char ***list, int *n, const char *fmt, ...)
{
    char **v = realloc(*list, (size_t)(*n + 2) * sizeof *v), *s;
    if (!v)
        return -1;
    *list = v;
    va_list ap;
    va_start(ap, fmt);
    int rc = vasprintf(&s, fmt, ap);
    va_end(ap);
    if (rc < 0)
        return -1;
    v[(*n)++] = s;
    v[*n] = NULL;
    return 0;
}
#define ARG(...) (rc |= push(&c->argv, &c->argc, __VA_ARGS__))
#define ENV(...) (rc |= push(&c->env, &c->nenv, __VA_ARGS__))

void gs_cmd_free(struct gs_cmd *c)
{
    for (int i = 0; i < c->argc; i++)
        free(c->argv[i]);
    for (int i = 0; i < c->nenv; i++)
        free(c->env[i]);
    free(c->argv);
    free(c->env);
    memset(c, 0, sizeof *c);
}

/* "a:3,b:2" with sep ':', "a*3,b*2" with '*', "a,b" with 0. */
static char *host_list(const struct gs_hosts *h, char sep)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return NULL;
    for (int i = 0; i < h->n; i++) {
        fprintf(f, "%s%s", i ? "," : "", h->v[i].name);
        if (sep)
            fprintf(f, "%c%d", sep, h->v[i].pes);
    }
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

static const char *bind_word(enum gs_flavour flavour, enum gs_bind bind)
{
    static const char *const words[][GS_BIND_PACKAGE + 1] = {
        /*              none    pu          core     l3         numa     package */
        [GS_SRUN] = {"none", "threads", "cores", "ldoms", "ldoms", "sockets"},
        [GS_PRTERUN] = {"none", "hwthread", "core", "l3cache", "numa", "package"},
        [GS_MPIRUN4] = {"none", "hwthread", "core", "l3cache", "numa", "socket"},
        [GS_MPIRUN5] = {"none", "hwthread", "core", "l3cache", "numa", "package"},
    };
    return words[flavour][bind];
}

/* Is this variable, as NAME=VALUE, one that our library reads? It goes to the other hosts unasked. */
static bool ours(const char *e)
{
    return (!strncmp(e, "SHMEM_", 6) || !strncmp(e, "SMA_", 4) || !strncmp(e, "GIN_SHMEM_", 10)) &&
           strncmp(e, "GIN_SHMEM_LAUNCHER=", 19);
}

static bool given(const struct gs_opt *o, const char *e)
{
    size_t n = strcspn(e, "=");
    for (int i = 0; i < o->nx; i++)
        if (strcspn(o->x[i], "=") == n && !strncmp(o->x[i], e, n))
            return true;
    return false;
}

static int build_srun(struct gs_cmd *c, const struct gs_opt *o, const struct gs_hosts *h, int n)
{
    int rc = 0;
    bool even = true;

    /* srun hands its own environment on; values may hold commas, which --export cannot carry. */
    for (int i = 0; i < o->nx; i++)
        if (strchr(o->x[i], '='))
            ENV("%s", o->x[i]);
    ARG("--mpi=pmix");
    ARG("--kill-on-bad-exit=1");
    ARG("--input=0");
    ARG("-n");
    ARG("%d", n);
    for (int i = 0; i < h->n; i++)
        even &= h->v[i].pes == h->v[0].pes;
    if (h->n && !even) {
        char *list = host_list(h, '*');
        rc |= list ? 0 : -1;
        ARG("--distribution=arbitrary");
        ARG("-w");
        ARG("%s", list ? list : "");
        free(list);
    } else if (h->n) {
        char *list = host_list(h, 0);
        rc |= list ? 0 : -1;
        ARG("-N");
        ARG("%d", h->n);
        ARG("--ntasks-per-node=%d", h->v[0].pes);
        ARG("-w");
        ARG("%s", list ? list : "");
        free(list);
    } else if (o->per_node) {
        ARG("--ntasks-per-node=%d", o->per_node);
    }
    if (o->bind_given)
        ARG("--cpu-bind=%s", bind_word(GS_SRUN, o->bind));
    if (o->wdir)
        ARG("--chdir=%s", o->wdir);
    if (o->tag)
        ARG("--label");
    return rc;
}

static int build_mpirun(struct gs_cmd *c, enum gs_flavour flavour, const struct gs_opt *o, const struct gs_hosts *h,
                        int n, char *const *environ, bool root)
{
    int rc = 0;

    if (root)
        ARG("--allow-run-as-root");
    ARG("-n");
    ARG("%d", n);
    if (h->n) {
        char *list = host_list(h, ':');
        rc |= list ? 0 : -1;
        ARG("--host");
        ARG("%s", list ? list : "");
        free(list);
    }
    ARG("--map-by");
    if (o->per_node)
        ARG("ppr:%d:node:OVERSUBSCRIBE", o->per_node);
    else
        ARG("slot:OVERSUBSCRIBE");
    ARG("--bind-to");
    ARG("%s", bind_word(flavour, o->bind));
    for (char *const *e = environ; e && *e; e++) {
        if (ours(*e) && !given(o, *e)) {
            ARG("-x");
            ARG("%.*s", (int)strcspn(*e, "="), *e);
        }
    }
    for (int i = 0; i < o->nx; i++) {
        ARG("-x");
        ARG("%s", o->x[i]);
    }
    if (o->wdir) {
        ARG("--wdir");
        ARG("%s", o->wdir);
    }
    if (o->tag && flavour == GS_PRTERUN) {
        ARG("--output");
        ARG("tag");
    } else if (o->tag) {
        ARG("--tag-output");
    }
    return rc;
}

int gs_cmd_build(struct gs_cmd *c, enum gs_flavour flavour, const char *path, const struct gs_opt *o,
                 const struct gs_hosts *hosts, int n, char *const *environ, bool root)
{
    int rc = 0;

    memset(c, 0, sizeof *c);
    ARG("%s", path);
    rc |= flavour == GS_SRUN ? build_srun(c, o, hosts, n) : build_mpirun(c, flavour, o, hosts, n, environ, root);
    for (int i = 0; i < o->argc; i++)
        ARG("%s", o->argv[i]);
    if (rc)
        gs_cmd_free(c);
    return rc ? -1 : 0;
}

static void quote(FILE *f, const char *s)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (*s && s[strspn(s, safe)] == '\0') {
        fputs(s, f);
        return;
    }
    putc('\'', f);
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", f);
        else
            putc(*s, f);
    }
    putc('\'', f);
}

char *gs_cmd_quote(const struct gs_cmd *c)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return NULL;
    if (c->nenv)
        fputs("env ", f);
    for (int i = 0; i < c->nenv; i++) {
        quote(f, c->env[i]);
        putc(' ', f);
    }
    for (int i = 0; i < c->argc; i++) {
        if (i)
            putc(' ', f);
        quote(f, c->argv[i]);
    }
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

int gs_find_program(const char *name, char *path, size_t len)
{
    struct stat st;
    int found = ENOENT;

    if (strchr(name, '/')) {
        snprintf(path, len, "%s", name);
        if (stat(name, &st))
            return errno == EACCES ? EACCES : ENOENT;
        return S_ISDIR(st.st_mode) ? EISDIR : access(name, X_OK) ? EACCES : 0;
    }
    const char *dirs = getenv("PATH");
    for (dirs = dirs ? dirs : "/bin:/usr/bin"; dirs;) {
        int n = (int)strcspn(dirs, ":");
        char try[PATH_MAX];
        int m = snprintf(try, sizeof try, "%.*s%s%s", n, dirs, n ? "/" : "./", name);
        dirs = dirs[n] ? dirs + n + 1 : NULL;
        if (m >= (int)sizeof try || stat(try, &st) || S_ISDIR(st.st_mode))
            continue;
        if (found != EACCES || access(try, X_OK) == 0)
            snprintf(path, len, "%s", try);
        if (access(try, X_OK) == 0)
            return 0;
        found = EACCES;
    }
    return found;
}

bool gs_exec_wanted(const struct gs_opt *o)
{
    if (o->launcher)
        return strcmp(o->launcher, "local") != 0;
    return o->hosts || o->hostfile || (o->per_node && o->n > o->per_node);
}

/* Which launcher is this mpirun? -1: none that serves PMIx; says is its first line. */
static int mpirun_flavour(const char *path, char *says, size_t len)
{
    char *cmd = NULL, *argv[] = {(char *)path, (char *)"--version", NULL};
    struct gs_cmd c = {.argv = argv, .argc = 2};
    int major = 0, flavour = -1;

    snprintf(says, len, "nothing");
    char *line = gs_cmd_quote(&c);
    if (line && asprintf(&cmd, "%s 2>/dev/null </dev/null", line) > 0) {
        FILE *f = popen(cmd, "re");
        if (f) {
            char rest[256];
            if (fgets(says, (int)len, f))
                says[strcspn(says, "\n")] = '\0';
            while (fgets(rest, sizeof rest, f))
                ;
            pclose(f);
        }
        free(cmd);
    }
    free(line);
    const char *v = strstr(says, "(Open MPI)");
    if (v && sscanf(v, "(Open MPI) %d", &major) == 1)
        flavour = major >= 5 ? GS_MPIRUN5 : GS_MPIRUN4;
    else if (strstr(says, "PRRTE") || strstr(says, "prte"))
        flavour = GS_PRTERUN;
    return flavour;
}

/* Chooses the launcher: 0 with path and flavour; or an exit status, printed. */
static int choose(const struct gs_opt *o, char *path, size_t len, enum gs_flavour *flavour)
{
    static const char *const slurm[] = {"srun", "prterun", "mpirun"}, *const other[] = {"prterun", "mpirun", "srun"};
    const char *const *order = getenv("SLURM_JOB_ID") ? slurm : other;
    char says[256], refused[512] = "";

    for (int i = 0; i < 3; i++) {
        const char *name = order[i];
        if ((o->launcher && strcmp(o->launcher, name)) || gs_find_program(name, path, len))
            continue;
        int f = !strcmp(name, "srun") ? GS_SRUN : GS_PRTERUN;
        if (!strcmp(name, "mpirun"))
            f = mpirun_flavour(path, says, sizeof says);
        if (f < 0) {
            snprintf(refused, sizeof refused, "%.300s does not serve PMIx as Open MPI's does (it says \"%.100s\")",
                     path, says);
            continue;
        }
        *flavour = (enum gs_flavour)f;
        return 0;
    }
    const char *cure = "install Open MPI (Debian, Ubuntu: apt install openmpi-bin), PRRTE or Slurm";
    if (refused[0])
        gs_say("%s; %s.", refused, cure);
    else if (o->launcher)
        gs_say("--launcher %s: there is no %s in PATH; %s, or choose another launcher.", o->launcher, o->launcher,
               cure);
    else
        gs_say("several hosts need a launcher that reaches them, and PATH has none of srun, prterun and mpirun:\n%s."
               " On this host alone leave out -H, --hostfile and -N.",
               cure);
    return 127;
}

extern char **environ;

int gs_exec(const struct gs_opt *o)
{
    struct gs_hosts hosts = {0};
    struct gs_cmd cmd = {0};
    char path[PATH_MAX], why[512], *line = NULL;
    enum gs_flavour flavour;
    int status = 2, n = o->n;

    if ((o->hosts && gs_hosts_parse(o->hosts, &hosts, why, sizeof why)) ||
        (o->hostfile && gs_hosts_read(o->hostfile, &hosts, why, sizeof why)))
        goto bad;
    if (hosts.n && (n = gs_hosts_place(&hosts, o->n, o->per_node, why, sizeof why)) < 0)
        goto bad;
    if (n == 0)
        n = o->per_node ? o->per_node : 1;
    status = choose(o, path, sizeof path, &flavour);
    if (status)
        goto out;
    status = 1;
    if (gs_cmd_build(&cmd, flavour, path, o, &hosts, n, environ, geteuid() == 0) || !(line = gs_cmd_quote(&cmd))) {
        gs_say("out of memory");
        goto out;
    }
    if (o->dry_run) {
        status = puts(line) < 0 || fflush(stdout) ? 1 : 0;
        goto out;
    }
    if (o->verbose)
        gs_say("running: %s", line);
    else
        gs_say("%d PE%s through %s", n, n == 1 ? "" : "s", path);
    for (int i = 0; i < cmd.nenv; i++)
        putenv(strdup(cmd.env[i]));
    unsetenv("GIN_SHMEM_LAUNCHER");
    execv(path, cmd.argv);
    gs_say("cannot run %s: %s", path, strerror(errno));
    status = errno == ENOENT ? 127 : 126;
    goto out;
bad:
    gs_say("%s", why);
out:
    free(line);
    gs_cmd_free(&cmd);
    gs_hosts_free(&hosts);
    return status;
}
