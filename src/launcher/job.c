/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "job.h"

#include "bind.h"
#include "children.h"
#include "forward.h"
#include "loop.h"
#include "say.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that a PE which left early without finalizing gets the others to end as well, before the job is ended. */
static const double left_grace = 0.5;
static const double hint_after = 1;
static const double abort_grace = 0.05;

static const struct gs_opt *opt;
static int *wstatus; /* by PE, once it has died */
static bool *fresh;  /* died, and not judged yet */
static bool any_fresh;
static bool decided; /* the job's fate: the first failure's status */
static int status;
static int forwarded;  /* last signal that was passed on and ends programs */
static int interrupts; /* SIGINT and SIGTERM seen */
static bool stop_now;  /* leave without waiting for a slow reader */
static double left_at = GS_NEVER, hint_at = GS_NEVER;
static double abort_at = GS_NEVER; /* when an abort counts, if nobody is found to have crashed before */

static struct gs_watch sig_watch = {.fd = -1}, srv_watch = {.fd = -1};

/* --- what became of the PEs --- */

static void decide(int code)
{
    decided = true;
    status = code;
    gs_kids_end();
}

static void died(int pe, int ws)
{
    wstatus[pe] = ws;
    fresh[pe] = any_fresh = true;
    if (opt->verbose && !decided && WIFEXITED(ws))
        gs_say("PE %d (pid %d) exited with status %d", pe, (int)gs_kids_pid(pe), WEXITSTATUS(ws));
}

static void failed_by_signal(int pe)
{
    int sig = WTERMSIG(wstatus[pe]);
    const char *name = sigabbrev_np(sig), *what = sigdescr_np(sig);
    const char *core = WCOREDUMP(wstatus[pe]) ? ", core dumped" : "";

    gs_fwd_died(pe);
    if (sig == SIGPIPE && gs_fwd_broken() == EPIPE) {
        if (opt->verbose)
            gs_say("PE %d ended by SIGPIPE: the reader of oshrun's output has gone", pe);
    } else if (sig == forwarded) {
        gs_say("job ended by SIG%s", name);
    } else {
        gs_say("PE %d (pid %d) was killed by signal %d (SIG%s, %s%s); ending the job", pe, (int)gs_kids_pid(pe), sig,
               name ? name : "?",
               sig == SIGKILL ? "from outside, or for lack of memory"
               : what         ? what
                              : "?",
               core);
    }
    decide(128 + sig);
}

static void failed_by_exit(int pe)
{
    int code = WEXITSTATUS(wstatus[pe]);

    gs_fwd_died(pe);
    if (opt->verbose || code != 128 + SIGPIPE || gs_fwd_broken() != EPIPE) /* that is how a shell tells of SIGPIPE */
        gs_say("PE %d (pid %d) exited with status %d; ending the job", pe, (int)gs_kids_pid(pe), code);
    decide(code);
}

/* Status 0 and no text is shmem_global_exit(0), the end of a good job. */
static void failed_by_abort(const struct gs_abort *a)
{
    int code = a->status == 0 ? 0 : a->status & 0xff ? a->status & 0xff : 1;

    if (a->pe >= 0 && a->pe < opt->n)
        gs_fwd_died(a->pe);
    if (a->status || a->text[0] || opt->verbose)
        gs_say("PE %d ended the job with status %d%s%s", a->pe, a->status, a->text[0] ? ": " : "", a->text);
    decide(code);
}

/* Of all that has happened since the last round, picks what the job failed by. A crash goes first, since others may
 * have failed because of it; then an abort, which says why; then an exit status. */
static void judge(void)
{
    struct gs_abort a;
    int crash = -1, bad = -1;

    if (!decided) {
        bool aborted = gs_srv_abort(&a);
        for (int i = 0; any_fresh && i < opt->n; i++) {
            if (!fresh[i])
                continue;
            if (WIFSIGNALED(wstatus[i]) && crash < 0)
                crash = i;
            else if (WIFEXITED(wstatus[i]) && WEXITSTATUS(wstatus[i]) && bad < 0)
                bad = i;
        }
        /* A PE that is killed while the others start up breaks their fence, and one of them aborts: the kernel may tell
         * of the death a moment after that. */
        if (aborted && abort_at == GS_NEVER)
            abort_at = gs_now() + abort_grace;
        if (crash >= 0 && !(aborted && a.pe == crash))
            failed_by_signal(crash);
        else if (aborted && (gs_now() >= abort_at || gs_kids_alive() == 0))
            failed_by_abort(&a);
        else if (!aborted && bad >= 0)
            failed_by_exit(bad);
    }
    if (any_fresh)
        memset(fresh, 0, (size_t)opt->n * sizeof *fresh);
    any_fresh = false;
}

/* A PE that exited with 0 without finalizing, while another has connected and so may wait for it for ever. */
static void look_for_the_left(double now)
{
    int left = -1;
    bool waiting = false;

    if (decided || gs_kids_alive() == opt->n)
        return;
    for (int i = 0; i < opt->n; i++) {
        if (gs_kids_is_alive(i))
            waiting |= gs_srv_state(i) == GS_SRV_CONNECTED;
        else if (left < 0 && gs_kids_pid(i) && gs_srv_state(i) != GS_SRV_FINALIZED)
            left = i;
    }
    if (left < 0 || !waiting) {
        left_at = GS_NEVER;
    } else if (left_at == GS_NEVER) {
        left_at = now + left_grace;
    } else if (now >= left_at) {
        bool joined = gs_srv_state(left) == GS_SRV_CONNECTED;
        gs_say("PE %d exited with status 0 %s; ending the job", left,
               joined ? "without finalizing (by _exit?) while others still run"
                      : "and never joined the job, as others did");
        left_at = GS_NEVER;
        decide(1);
    }
}

/* --- what comes from outside --- */

static void on_server(struct gs_watch *w, uint32_t events)
{
    uint64_t count;
    (void)events;
    while (read(w->fd, &count, sizeof count) > 0)
        ; /* judge() looks at what it means */
}

static void on_interrupt(int sig)
{
    forwarded = sig;
    if (++interrupts == 1) {
        gs_kids_signal(sig);
        hint_at = gs_now() + hint_after;
    } else {
        if (!decided)
            decide(128 + sig);
        gs_kids_kill();
    }
    if (interrupts > 1 || gs_kids_alive() == 0) {
        stop_now = true;
        if (!decided)
            decide(128 + sig);
    }
}

static void on_signal(struct gs_watch *w, uint32_t events)
{
    struct signalfd_siginfo si;
    (void)events;

    while (read(w->fd, &si, sizeof si) == (ssize_t)sizeof si) {
        int sig = (int)si.ssi_signo;
        switch (sig) {
        case SIGCHLD:
            break; /* reaped each round */
        case SIGINT:
        case SIGTERM:
            on_interrupt(sig);
            break;
        case SIGTSTP:
            gs_kids_signal(SIGTSTP);
            raise(SIGSTOP);
            break;
        case SIGCONT:
            gs_kids_signal(SIGCONT);
            gs_stdin_tick(GS_NEVER);
            break;
        default:
            forwarded = sig;
            gs_kids_signal(sig);
        }
    }
}

static double min(double a, double b)
{
    return a < b ? a : b;
}

static void one_round(double until)
{
    double now;

    until = min(min(until, gs_kids_deadline()), min(gs_fwd_deadline(), gs_stdin_deadline()));
    gs_loop_once(min(until, min(min(left_at, hint_at), decided ? GS_NEVER : abort_at)));
    gs_kids_reap(died);
    judge();
    now = gs_now();
    look_for_the_left(now);
    gs_kids_tick(now);
    gs_fwd_tick(now);
    gs_stdin_tick(now);
    if (now >= hint_at) {
        hint_at = GS_NEVER;
        if (gs_kids_alive())
            gs_say("%d PE%s still run%s after SIG%s; send it again (or press Ctrl-C) to kill", gs_kids_alive(),
                   gs_kids_alive() == 1 ? "" : "s", gs_kids_alive() == 1 ? "s" : "", sigabbrev_np(forwarded));
    }
    gs_fwd_flush();
    int err = gs_fwd_broken();
    if (err && err != EPIPE && !decided) {
        gs_say("cannot write output: %s; ending the job", strerror(err));
        decide(1);
    }
}

/* --- start --- */

/* Our environment, and -x. NULL when out of memory. The strings are borrowed. */
static char **base_env(void)
{
    extern char **environ;
    for (int i = 0; i < opt->nx; i++) {
        const char *eq = strchr(opt->x[i], '=');
        if (!eq && !getenv(opt->x[i])) {
            gs_say("-x %s: there is no such variable here; ignored", opt->x[i]);
        } else if (eq) {
            char *name = strndup(opt->x[i], (size_t)(eq - opt->x[i]));
            if (!name || setenv(name, eq + 1, 1)) {
                free(name);
                return NULL;
            }
            free(name);
        }
    }
    return setenv("GIN_SHMEM_LAUNCHER", "oshrun", 1) ? NULL : environ;
}

/* Says why PE pe cannot be started, and ends the job. */
static void start_failed(int pe, const char *path, int err)
{
    if (err == ENOENT)
        gs_say("cannot run %s: the interpreter or loader that it names does not exist", path);
    else if (err > 0)
        gs_say("cannot run %s: %s", path, strerror(err));
    else if (err == -EAGAIN)
        gs_say("cannot start PE %d: %s; start fewer PEs, or raise the limit of processes (ulimit -u)", pe,
               strerror(-err));
    else if (err == -EMFILE || err == -ENFILE)
        gs_say("cannot start PE %d: %s; start fewer PEs, or raise the limit of open files (ulimit -n)", pe,
               strerror(-err));
    else
        gs_say("cannot start PE %d: %s", pe, strerror(-err));
    if (!decided)
        decide(err == ENOENT ? 127 : err > 0 ? 126 : 1);
}

static int start_pe(int pe, const char *path, char *const *env, int null, const struct gs_binding *plan)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1}, rc = -ENOMEM;
    struct gs_start s = {.path = path, .argv = opt->argv, .in = null, .bind = plan ? &plan[pe] : NULL};

    s.env = gs_srv_env(pe, env);
    if (!s.env)
        goto out;
    rc = pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || (pe == 0 && (s.in = gs_stdin_open()) < 0) ? -errno : 0;
    if (rc == 0) {
        s.out = out[1];
        s.err = err[1];
        rc = gs_kids_start(pe, &s);
    }
    if (rc == 0) {
        if (gs_fwd_add(pe, out[0], err[0]))
            rc = -errno;
        out[0] = err[0] = -1; /* forward.c's now */
        if (opt->verbose)
            gs_say("PE %d: pid %d%s%s", pe, (int)gs_kids_pid(pe), plan ? ", bound to " : "", plan ? plan[pe].text : "");
    }
    if (pe == 0)
        gs_stdin_started();
out:
    for (int i = 0; i < 2; i++) {
        if (out[i] >= 0)
            close(out[i]);
        if (err[i] >= 0)
            close(err[i]);
    }
    gs_srv_env_free(s.env);
    return rc;
}

static void start_all(const char *path, const struct gs_binding *plan)
{
    char *const *env = base_env();
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    for (int pe = 0; pe < opt->n && !decided; pe++) {
        int rc = !env ? -ENOMEM : null < 0 ? -errno : start_pe(pe, path, env, null, plan);
        if (rc)
            start_failed(pe, path, rc);
        else if (pe % 8 == 7)
            one_round(0); /* signals, an early failure */
    }
    if (null >= 0)
        close(null);
}

int gs_job_run(const struct gs_opt *o, const char *path)
{
    struct gs_binding *plan = NULL;

    opt = o;
    wstatus = calloc((size_t)o->n, sizeof *wstatus);
    fresh = calloc((size_t)o->n, sizeof *fresh);
    status = 1;
    int sig = gs_sig_open();
    if (!wstatus || !fresh || sig < 0 || gs_loop_open() || gs_loop_add(&sig_watch, sig, EPOLLIN, on_signal)) {
        gs_say("cannot start: %s", strerror(errno));
        goto out;
    }
    if (gs_bind_plan(o->bind, o->n, &plan) || gs_kids_open(o->n) || gs_srv_start(o->n))
        goto out;
    if (gs_loop_add(&srv_watch, gs_srv_fd(), EPOLLIN, on_server) || gs_fwd_open(o->n, o->tag)) {
        gs_say("cannot start: %s", strerror(errno));
        goto out;
    }
    if (o->verbose)
        gs_say("job %s: %d PEs of %s, PMIx served by libpmix %s", gs_srv_job(), o->n, path, gs_srv_version());
    status = 0;
    start_all(path, plan);
    while (gs_kids_alive() && !(stop_now && decided && interrupts > 2))
        one_round(GS_NEVER);
    while (!gs_kids_gone() && interrupts <= 3)
        one_round(GS_NEVER);
    while (!gs_fwd_finish() && !stop_now)
        one_round(GS_NEVER);
    if (gs_fwd_broken() && !decided)
        status = gs_fwd_broken() == EPIPE ? 128 + SIGPIPE : 1;
out:
    gs_stdin_close();
    gs_fwd_close();
    gs_loop_remove(&srv_watch);
    gs_kids_close();
    gs_loop_remove(&sig_watch);
    gs_loop_close();
    gs_sig_close();
    gs_bind_free(plan, o->n);
    free(wstatus);
    free(fresh);
    return status;
}
