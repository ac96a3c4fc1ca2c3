/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PES = 1000000 };

const char gs_opt_help[] =
    "usage: oshrun [options] program [arguments]\n"
    "\n"
    "Starts PEs of an OpenSHMEM program on this host, or through srun, prterun or mpirun on others.\n"
    "\n"
    "  -n, -np NUMBER         PEs to start (default 1, or what -N and the hosts give); more than cores is fine\n"
    "  -x NAME[=VALUE]        give the PEs this variable; may be repeated\n"
    "  --wdir DIR             change to DIR first\n"
    "  --bind WHERE           none (default), core, numa, package, l3 or pu: tie each PE to one of these\n"
    "  --fake-nodes NUMBER    make the library take this host for so many nodes, for tests: memory of another node is\n"
    "                         out of load and store reach\n"
    "  --tag-output           start each line of output with [PE]\n"
    "  -v, --verbose          say what is done: process numbers, binding, commands\n"
    "  --dry-run              print what would be run, and stop\n"
    "  --version, --help\n"
    "\n"
    "Several hosts (another launcher is started with translated options):\n"
    "  -H, --host LIST        hosts, as in a,b or a:4,b:2 (PEs per host)\n"
    "  -f, --hostfile FILE    a host on each line, with slots=NUMBER where wanted\n"
    "  -N, --npernode NUMBER  PEs per host\n"
    "  --launcher NAME        srun, prterun, mpirun, or local; default: the first that fits\n"
    "\n"
    "The exit status is that of the first PE that failed, 128 + the signal where it was killed, or what\n"
    "shmem_global_exit was given; 2 for a wrong command line, 127 for a program that is missing, 126 for one that\n"
    "cannot be run.\n"
    "More: man oshrun.\n";

static const struct {
    const char *name;
    enum gs_bind bind;
} binds[] = {
    {"none", GS_BIND_NONE},       {"core", GS_BIND_CORE},      {"numa", GS_BIND_NUMA},
    {"package", GS_BIND_PACKAGE}, {"socket", GS_BIND_PACKAGE}, {"l3", GS_BIND_L3},
    {"pu", GS_BIND_PU},           {"hwthread", GS_BIND_PU},    {"thread", GS_BIND_PU},
};

const char *gs_bind_name(enum gs_bind bind)
{
    for (size_t i = 0; i < sizeof binds / sizeof binds[0]; i++)
        if (binds[i].bind == bind)
            return binds[i].name;
    return "?";
}

static enum gs_opt_result bad(char *why, size_t len, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static enum gs_opt_result bad(char *why, size_t len, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, len, fmt, ap);
    va_end(ap);
    return GS_OPT_BAD;
}

/* A whole number from 1 to MAX_PES; 0 where text is none. */
static int count(const char *text)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || v < 1 || v > MAX_PES)
        return 0;
    return (int)v;
}

static bool name_ok(const char *x)
{
    size_t n = strcspn(x, "=");
    if (n == 0 || (x[0] >= '0' && x[0] <= '9'))
        return false;
    for (size_t i = 0; i < n; i++)
        if (x[i] <= ' ' || x[i] == ',')
            return false;
    return true;
}

static int join(char **list, const char *more)
{
    size_t have = *list ? strlen(*list) + 1 : 0;
    char *p = realloc(*list, have + strlen(more) + 1);
    if (!p)
        return -1;
    if (have)
        p[have - 1] = ',';
    strcpy(p + have, more);
    *list = p;
    return 0;
}

enum { O_HELP = 256, O_VERSION, O_BIND, O_TAG, O_WDIR, O_LAUNCHER, O_DRY, O_FAKE };

enum gs_opt_result gs_opt_parse(int argc, char **argv, struct gs_opt *o, char *why, size_t whylen)
{
    /* getopt_long_only, because people type -np, -host and -npernode. */
    static const struct option longs[] = {
        {"n", required_argument, NULL, 'n'},
        {"np", required_argument, NULL, 'n'},
        {"N", required_argument, NULL, 'N'},
        {"npernode", required_argument, NULL, 'N'},
        {"ppn", required_argument, NULL, 'N'},
        {"host", required_argument, NULL, 'H'},
        {"hosts", required_argument, NULL, 'H'},
        {"hostfile", required_argument, NULL, 'f'},
        {"machinefile", required_argument, NULL, 'f'},
        {"wdir", required_argument, NULL, O_WDIR},
        {"wd", required_argument, NULL, O_WDIR},
        {"bind", required_argument, NULL, O_BIND},
        {"bind-to", required_argument, NULL, O_BIND},
        {"fake-nodes", required_argument, NULL, O_FAKE},
        {"tag-output", no_argument, NULL, O_TAG},
        {"launcher", required_argument, NULL, O_LAUNCHER},
        {"dry-run", no_argument, NULL, O_DRY},
        {"verbose", no_argument, NULL, 'v'},
        {"version", no_argument, NULL, O_VERSION},
        {"help", no_argument, NULL, O_HELP},
        {NULL, 0, NULL, 0},
    };
    enum gs_opt_result result = GS_OPT_BAD;
    int fake = 0;

    memset(o, 0, sizeof *o);
    o->x = calloc((size_t)argc + 1, sizeof *o->x);
    if (!o->x)
        return bad(why, whylen, "out of memory");
    optind = 0; /* glibc: start afresh */
    opterr = 0;
    for (;;) {
        int at = optind > 0 ? optind : 1; /* the word looked at, for messages: getopt moves on */
        int c = getopt_long_only(argc, argv, "+:n:N:H:f:x:vVh", longs, NULL);
        if (c == -1)
            break;
        int v;
        switch (c) {
        case 'n':
        case 'N':
            v = count(optarg);
            if (v == 0) {
                bad(why, whylen, "%s %s: not a number of PEs%s; give a whole number from 1 to %d, as in %s 4",
                    c == 'n' ? "-n" : "-N", optarg, c == 'N' ? " per host" : "", MAX_PES, c == 'n' ? "-n" : "-N");
                goto out;
            }
            *(c == 'n' ? &o->n : &o->per_node) = v;
            break;
        case 'H':
            if (join(&o->hosts, optarg)) {
                bad(why, whylen, "out of memory");
                goto out;
            }
            break;
        case 'f':
            o->hostfile = optarg;
            break;
        case 'x':
            if (!name_ok(optarg)) {
                bad(why, whylen, "-x %s: no name of a variable; give -x NAME or -x NAME=VALUE", optarg);
                goto out;
            }
            o->x[o->nx++] = optarg;
            break;
        case O_BIND: {
            size_t i, all = sizeof binds / sizeof binds[0];
            for (i = 0; i < all && strcmp(binds[i].name, optarg); i++)
                ;
            if (i == all) {
                bad(why, whylen, "--bind %s: not a place to bind to; choose none, core, numa, package, l3 or pu",
                    optarg);
                goto out;
            }
            o->bind = binds[i].bind;
            o->bind_given = true;
            break;
        }
        case O_FAKE:
            fake = count(optarg);
            if (fake == 0) {
                bad(why, whylen, "--fake-nodes %s: not a number of nodes; give a whole number, as in --fake-nodes 2",
                    optarg);
                goto out;
            }
            break;
        case O_TAG:
            o->tag = true;
            break;
        case O_WDIR:
            o->wdir = optarg;
            break;
        case O_LAUNCHER:
            if (strcmp(optarg, "srun") && strcmp(optarg, "prterun") && strcmp(optarg, "mpirun") &&
                strcmp(optarg, "local")) {
                bad(why, whylen, "--launcher %s: unknown; choose srun, prterun, mpirun or local", optarg);
                goto out;
            }
            o->launcher = optarg;
            break;
        case O_DRY:
            o->dry_run = true;
            break;
        case 'v':
            o->verbose = true;
            break;
        case 'V':
        case O_VERSION:
            result = GS_OPT_VERSION;
            goto out;
        case 'h':
        case O_HELP:
            result = GS_OPT_HELP;
            goto out;
        case ':':
            bad(why, whylen, "%s needs a value; see oshrun --help", argv[at]);
            goto out;
        default:
            bad(why, whylen,
                "unknown option %s; see oshrun --help\n"
                "Options for the program itself go after the program's name.",
                argv[at]);
            goto out;
        }
    }
    if (optind >= argc || argv[optind][0] == '\0') {
        bad(why, whylen, "no program given\nusage: oshrun [-n PEs] [options] program [arguments]; see oshrun --help");
        goto out;
    }
    if (o->hosts && o->hostfile) {
        bad(why, whylen, "both hosts (-H) and a host file (--hostfile) given; choose one");
        goto out;
    }
    if (fake > (o->n ? o->n : o->per_node || o->hosts || o->hostfile ? MAX_PES : 1)) {
        bad(why, whylen, "--fake-nodes %d: more nodes than PEs; start at least %d PEs, as in -n %d", fake, fake, fake);
        goto out;
    }
    if (fake) {
        snprintf(o->fake_nodes, sizeof o->fake_nodes, "GIN_SHMEM_FAKE_NODES=%d", fake);
        o->x[o->nx++] = o->fake_nodes;
    }
    o->argc = argc - optind;
    o->argv = argv + optind;
    result = GS_OPT_RUN;
out:
    if (result != GS_OPT_RUN)
        gs_opt_free(o);
    return result;
}

void gs_opt_free(struct gs_opt *o)
{
    free(o->x);
    free(o->hosts);
    memset(o, 0, sizeof *o);
}
