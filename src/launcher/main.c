/* SPDX-License-Identifier: BSD-3-Clause */
/* oshrun: reads the command line, then runs the job here (job.c) or becomes another launcher (exec.c). */
#define _GNU_SOURCE
#include "bind.h"
#include "exec.h"
#include "job.h"
#include "options.h"
#include "say.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0, 1 and 2 must be open, or a pipe of ours would take their place. */
static void open_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

static int find(const char *name, char *path, size_t len)
{
    char here[PATH_MAX];
    int rc = gs_find_program(name, path, len);

    switch (rc) {
    case 0:
        return 0;
    case EISDIR:
        gs_say("%s is a directory, not a program", name);
        return 126;
    case EACCES:
        gs_say("%s is not executable; make it so with chmod +x, if it is a program", path[0] ? path : name);
        return 126;
    default:
        snprintf(here, sizeof here, "./%.4000s", name);
        if (!strchr(name, '/') && access(here, X_OK) == 0)
            gs_say("there is no program %s in PATH; did you mean %s, in this directory?", name, here);
        else if (!strchr(name, '/'))
            gs_say("there is no program %s in PATH; give its path, as in ./%s", name, name);
        else
            gs_say("there is no program %s", name);
        return 127;
    }
}

static int run_here(struct gs_opt *o)
{
    char path[PATH_MAX] = "";
    int status;

    if (o->n == 0)
        o->n = o->per_node ? o->per_node : 1;
    if (o->n > GS_JOB_MAX) {
        gs_say("-n %d: more than %d PEs on one host; start fewer, or name hosts with -H", o->n, GS_JOB_MAX);
        return 2;
    }
    if (o->wdir && chdir(o->wdir)) {
        gs_say("--wdir %s: %s", o->wdir, strerror(errno));
        return 2;
    }
    if ((status = find(o->argv[0], path, sizeof path)))
        return status;
    if (o->wdir) {
        char *cwd = getcwd(NULL, 0);
        if (cwd)
            setenv("PWD", cwd, 1);
        free(cwd);
    }
    if (o->dry_run) {
        struct gs_cmd c = {.argv = o->argv, .argc = o->argc};
        char *line = gs_cmd_quote(&c);
        status = line && printf("# %d PE%s on this host, started by oshrun itself:\n%s\n", o->n, o->n == 1 ? "" : "s",
                                line) > 0
                     ? 0
                     : 1;
        free(line);
        return status;
    }
    _exit(gs_job_run(o, path));
}

int main(int argc, char **argv)
{
    struct gs_opt o;
    char why[1024];
    int status = 2;

    open_standard();
    switch (gs_opt_parse(argc, argv, &o, why, sizeof why)) {
    case GS_OPT_HELP:
        return fputs(gs_opt_help, stdout) < 0 || fflush(stdout) ? 1 : 0;
    case GS_OPT_VERSION:
        printf("oshrun (gin_shmem) %s, libpmix %s, hwloc %s\n", GS_VERSION, gs_srv_version(), gs_bind_version());
        return fflush(stdout) ? 1 : 0;
    case GS_OPT_BAD:
        gs_say("%s", why);
        return 2;
    case GS_OPT_RUN:
        status = gs_exec_wanted(&o) ? gs_exec(&o) : run_here(&o);
        gs_opt_free(&o);
        break;
    }
    return status;
}
