/* SPDX-License-Identifier: BSD-3-Clause */
/* gin_shmem_info: what this build is, what the environment sets, and what can work on this machine. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/env.h"
#include "core/log.h"
#include "probe.h"

_Noreturn void gs_job_abort(int status, const char *message);

/* log.c ends a job through this; here the job is this program. */
_Noreturn void gs_job_abort(int status, const char *message)
{
    if (message)
        fprintf(stderr, "%s\n", message);
    exit(status);
}

static const char usage[] =
    "Usage: gin_shmem_info [--json] [--env | --nvshmem]\n"
    "Tells version and build, the environment variables with the values in force, and what can work on this machine.\n"
    "  --env      only the environment variables\n"
    "  --nvshmem  what programs with NVSHMEM's API want to know: version, build, ways to start, NVSHMEM_ variables\n"
    "  --json     as JSON\n"
    "  --help     this text\n"
    "  --version  only the version\n"
    "Exit status: 0; 1 when an environment variable's value is not valid; 2 when an option is not.\n";

enum { USAGE_ERROR = 2 };

static void report(struct out *o)
{
    probe_build(o);
    if (!o->json)
        fputs("\nenvironment\n", o->to);
    probe_env(o);
    probe_host(o);
    probe_gpu(o);
    probe_cpu(o);
    probe_rdma(o);
    probe_gin(o);

    out_open(o, "bootstraps");
    probe_pmix(o);
    probe_torchrun(o);
    probe_singleton(o);
    out_close(o);

    out_open(o, "transports");
    probe_shm(o);
    probe_nccl(o);
    probe_ucx(o);
    out_close(o);
}

static int refuse(const char *what, const char *word)
{
    fprintf(stderr, "gin_shmem_info: %s '%s'; gin_shmem_info --help lists the options\n", what, word);
    return USAGE_ERROR;
}

int main(int argc, char **argv)
{
    enum { HELP = 256, VERSION, JSON, ENV, NVSHMEM };
    static const struct option options[] = {{"help", no_argument, NULL, HELP},
                                            {"version", no_argument, NULL, VERSION},
                                            {"json", no_argument, NULL, JSON},
                                            {"env", no_argument, NULL, ENV},
                                            {"nvshmem", no_argument, NULL, NVSHMEM},
                                            {NULL, 0, NULL, 0}};
    struct out o = {.to = stdout, .empty = {true}};
    void (*print)(struct out *) = report;
    int c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case HELP:
            fputs(usage, stdout);
            goto end;
        case VERSION:
            puts("gin_shmem " GS_VERSION);
            goto end;
        case JSON:
            o.json = true;
            break;
        case ENV:
            print = probe_env;
            break;
        case NVSHMEM:
            print = probe_nvshmem;
            break;
        default:
            return refuse("no such option, or not to be used so:", argv[optind - 1]);
        }
    }
    if (optind < argc)
        return refuse("unexpected argument", argv[optind]);

    bool valid = gs_env_load() == 0;
    gs_env_warn_unknown();
    if (o.json)
        out_open(&o, NULL);
    print(&o);
    if (o.json)
        out_close(&o);
    if (!valid) {
        fflush(stdout);
        return EXIT_FAILURE;
    }
end:
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "gin_shmem_info: cannot write: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
