/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "children.h"

#include "loop.h"
#include "say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds. Together well under the second in which a failed job must be over. */
static const double term_grace = 0.4, sweep_grace = 0.2, sweep_pause = 0.01, give_up_after = 10;

static struct pe {
    pid_t pid;
    bool alive;
} * pes;
static int npes, nalive;

static enum { RUNNING, TERMED, KILLED } phase;
static double deadline = GS_NEVER, give_up = GS_NEVER;
static bool abandoned; /* what is left cannot be killed */

static pid_t *strangers; /* children that this process had before it became oshrun (by exec) */
static size_t nstrangers;

/* --- signals --- */

static int sig_fd = -1;
static sigset_t old_mask;
static struct sigaction old_pipe;

int gs_sig_open(void)
{
    static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, now;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++) {
        /* What our parent ignores (nohup, a background job of a script) stays ignored, here and in the PEs. */
        if (sigaction(forwarded[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, forwarded[i]);
    }
    signal(SIGCHLD, SIG_DFL); /* ignored, it would keep exit statuses from us */
    sigaction(SIGPIPE, &ignore, &old_pipe);
    if (sigprocmask(SIG_BLOCK, &set, &old_mask))
        return -1;
    sig_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return sig_fd;
}

void gs_sig_close(void)
{
    if (sig_fd >= 0)
        close(sig_fd);
    sig_fd = -1;
}

/* --- who is there --- */

static bool is_child(const char *pid)
{
    char path[64], text[512], *p;
    int ppid = -1;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    p = strrchr(text, ')'); /* the name before may hold anything */
    return p && sscanf(p + 1, " %*c %d", &ppid) == 1 && ppid == getpid();
}

static int append(pid_t **list, size_t *n, pid_t pid)
{
    pid_t *v = realloc(*list, (*n + 1) * sizeof *v);
    if (!v)
        return -1;
    *list = v;
    v[(*n)++] = pid;
    return 0;
}

/* All our children, by the kernel's list where it has one, else by looking at every process. */
static size_t list_children(pid_t **list)
{
    size_t n = 0;
    bool listed = false;
    char path[300];
    int pid;
    struct dirent *e;

    *list = NULL;
    DIR *d = opendir("/proc/self/task");
    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/children", e->d_name);
        FILE *f = fopen(path, "re");
        if (!f)
            continue;
        listed = true;
        while (fscanf(f, "%d", &pid) == 1)
            append(list, &n, pid);
        fclose(f);
    }
    if (d)
        closedir(d);
    if (listed)
        return n;
    d = opendir("/proc");
    while (d && (e = readdir(d)))
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_child(e->d_name))
            append(list, &n, (pid_t)atol(e->d_name));
    if (d)
        closedir(d);
    return n;
}

static bool ours(pid_t pid)
{
    for (size_t i = 0; i < nstrangers; i++)
        if (strangers[i] == pid)
            return false;
    return pid != gs_guard_pid();
}

int gs_kids_open(int n)
{
    pes = calloc((size_t)n, sizeof *pes);
    if (!pes) {
        gs_say("out of memory");
        return -1;
    }
    npes = n;
    nstrangers = list_children(&strangers);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    gs_guard_open(n);
    return 0;
}

void gs_kids_close(void)
{
    gs_guard_close();
    free(pes);
    free(strangers);
    pes = NULL;
    strangers = NULL;
}

/* --- starting --- */

/* Runs in the child of vfork: its memory is the parent's, so it writes nothing there but *error. */
static _Noreturn void become(const struct gs_start *s, pid_t parent, const struct rlimit *files, volatile int *error)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (dup2(s->in, 0) < 0 || dup2(s->out, 1) < 0 || dup2(s->err, 2) < 0) {
        *error = errno;
        _exit(1);
    }
    if (s->bind)
        syscall(SYS_sched_setaffinity, 0, s->bind->bytes, s->bind->cpus);
    setrlimit(RLIMIT_NOFILE, files);
    sigaction(SIGPIPE, &old_pipe, NULL);
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    execve(s->path, s->argv, s->env);
    *error = errno;
    _exit(127);
}

static struct rlimit old_files;

/* A script without #! is run by the shell, as execvp does. */
static char **shell_argv(const struct gs_start *s)
{
    int n = 0;
    while (s->argv[n])
        n++;
    char **v = calloc((size_t)n + 2, sizeof *v);
    if (!v)
        return NULL;
    v[0] = (char *)"/bin/sh";
    v[1] = (char *)s->path;
    for (int i = 1; i < n; i++)
        v[i + 1] = s->argv[i];
    return v;
}

int gs_kids_start(int pe, const struct gs_start *s)
{
    volatile int error = 0;
    const pid_t parent = getpid();

    if (!old_files.rlim_cur) { /* each PE costs descriptors here: two pipes and a socket */
        getrlimit(RLIMIT_NOFILE, &old_files);
        struct rlimit more = {.rlim_cur = old_files.rlim_max, .rlim_max = old_files.rlim_max};
        rlim_t need = (rlim_t)npes * 4 + 64;
        if (old_files.rlim_cur < need) {
            if (more.rlim_cur > need)
                more.rlim_cur = need;
            setrlimit(RLIMIT_NOFILE, &more);
        }
    }
    pid_t pid = vfork();
    if (pid == 0)
        become(s, parent, &old_files, &error);
    if (pid < 0)
        return -errno;
    if (error) {
        waitpid(pid, NULL, 0);
        if (error == ENOEXEC && strcmp(s->path, "/bin/sh")) {
            char **v = shell_argv(s);
            struct gs_start sh = *s;
            sh.path = "/bin/sh";
            sh.argv = v;
            int rc = v ? gs_kids_start(pe, &sh) : -ENOMEM;
            free(v);
            return rc;
        }
        return error;
    }
    pes[pe] = (struct pe){.pid = pid, .alive = true};
    nalive++;
    gs_guard_set(pe, pid);
    return 0;
}

pid_t gs_kids_pid(int pe)
{
    return pes[pe].pid;
}

/* --- ending --- */

void gs_kids_reap(void (*died)(int pe, int wstatus))
{
    int wstatus;
    pid_t pid;

    while ((pid = waitpid(-1, &wstatus, WNOHANG)) > 0) {
        for (int i = 0; i < npes; i++) {
            if (pes[i].alive && pes[i].pid == pid) {
                pes[i].alive = false;
                nalive--;
                gs_guard_set(i, 0);
                died(i, wstatus);
                break;
            }
        }
    }
}

int gs_kids_alive(void)
{
    return abandoned ? 0 : nalive;
}

bool gs_kids_is_alive(int pe)
{
    return pes[pe].alive;
}

void gs_kids_signal(int sig)
{
    for (int i = 0; i < npes; i++)
        if (pes[i].alive)
            kill(-pes[i].pid, sig);
}

void gs_kids_end(void)
{
    if (phase != RUNNING)
        return;
    phase = TERMED;
    deadline = gs_now() + term_grace;
    gs_kids_signal(SIGTERM);
    gs_kids_signal(SIGCONT); /* a stopped PE must wake to end */
}

void gs_kids_kill(void)
{
    if (phase != KILLED)
        give_up = gs_now() + give_up_after;
    phase = KILLED;
    deadline = give_up;
    gs_kids_signal(SIGKILL);
}

bool gs_kids_gone(void)
{
    pid_t *list;
    size_t left = 0, n;
    double now = gs_now();

    if (abandoned)
        return true;
    n = list_children(&list);
    for (size_t i = 0; i < n; i++)
        left += ours(list[i]);
    if (left == 0) {
        free(list);
        deadline = give_up = GS_NEVER;
        return true;
    }
    if (phase == RUNNING) { /* all PEs ended well, and something they started goes on */
        for (size_t i = 0; i < n; i++)
            if (ours(list[i]))
                kill(list[i], SIGTERM);
        phase = TERMED;
        deadline = now + sweep_grace;
    } else if (phase == KILLED || now >= deadline) {
        if (phase != KILLED)
            give_up = now + give_up_after;
        phase = KILLED;
        for (size_t i = 0; i < n; i++)
            if (ours(list[i]))
                kill(list[i], SIGKILL); /* its children come to us, and next in turn */
        deadline = now + sweep_pause;
    }
    free(list);
    return false;
}

double gs_kids_deadline(void)
{
    return deadline;
}

void gs_kids_tick(double now)
{
    if (now >= give_up) {
        gs_say("%d PEs do not die, not even by SIGKILL (stuck in the kernel?); leaving them", nalive);
        abandoned = true;
        deadline = give_up = GS_NEVER;
    } else if (now >= deadline && nalive) {
        gs_kids_kill();
    }
}
