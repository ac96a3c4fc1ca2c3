/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PE for the launcher's tests, a plain PMIx client: pe WHAT [PE [NUMBER]]. All PEs join; PE does WHAT with NUMBER, the
 * others wait in a fence that it never reaches. Without a PE, all do it.
 *   keys      print the job's facts that the server gives
 *   fence     exchange a value with everyone, and check it
 *   abort     PMIx_Abort with NUMBER as status
 *   exit      exit with NUMBER, finalized first when it is 0
 *   leave     _exit(0) without finalizing
 *   signal    die by signal NUMBER
 *   absent    exit(0) without ever joining
 * and without PMIx but for its environment: pe lines COUNT SEED, "PE:number:xxx" in odd pieces to stdout and stderr.
 */
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t me;

static void check(const char *what, pmix_status_t rc)
{
    if (rc == PMIX_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, PMIx_Error_string(rc));
    exit(90);
}

static long number(const pmix_proc_t *who, const char *key)
{
    pmix_value_t *v;
    long n = -1;

    check(key, PMIx_Get(who, key, NULL, 0, &v));
    if (v->type == PMIX_UINT32)
        n = v->data.uint32;
    else if (v->type == PMIX_UINT16)
        n = v->data.uint16;
    PMIX_VALUE_RELEASE(v);
    return n;
}

static void text(const pmix_proc_t *who, const char *key, char *to, size_t len)
{
    pmix_value_t *v;

    check(key, PMIx_Get(who, key, NULL, 0, &v));
    snprintf(to, len, "%s", v->type == PMIX_STRING ? v->data.string : "?");
    PMIX_VALUE_RELEASE(v);
}

static void keys(const pmix_proc_t *job)
{
    char peers[256], host[256], jobid[256];

    text(job, PMIX_LOCAL_PEERS, peers, sizeof peers);
    text(&me, PMIX_HOSTNAME, host, sizeof host);
    text(job, PMIX_JOBID, jobid, sizeof jobid);
    printf("rank %u univ %ld job %ld local %ld nodes %ld lrank %ld nrank %ld nodeid %ld peers %s host %d jobid %d\n",
           me.rank, number(job, PMIX_UNIV_SIZE), number(job, PMIX_JOB_SIZE), number(job, PMIX_LOCAL_SIZE),
           number(job, PMIX_NUM_NODES), number(&me, PMIX_LOCAL_RANK), number(&me, PMIX_NODE_RANK),
           number(&me, PMIX_NODEID), peers, host[0] != 0, !strcmp(jobid, me.nspace));
    /* The maps come back as the server's expansion of them: where everyone is. */
    uint32_t n = (uint32_t)number(job, PMIX_JOB_SIZE);
    char *nodes = NULL;
    pmix_proc_t *procs = NULL;
    size_t count = 0;
    check("PMIx_Resolve_nodes", PMIx_Resolve_nodes(me.nspace, &nodes));
    check("PMIx_Resolve_peers", PMIx_Resolve_peers(host, me.nspace, &procs, &count));
    if (strcmp(nodes, host) || count != n) {
        fprintf(stderr, "nodes %s, host %s, %zu peers of %u\n", nodes, host, count, n);
        exit(91);
    }
}

static void fence(const pmix_proc_t *job)
{
    pmix_value_t v, *got;
    pmix_info_t info;
    bool yes = true;
    uint32_t n = (uint32_t)number(job, PMIX_JOB_SIZE);

    v.type = PMIX_UINT32;
    v.data.uint32 = 1000 + me.rank;
    check("PMIx_Put", PMIx_Put(PMIX_GLOBAL, "number", &v));
    check("PMIx_Commit", PMIx_Commit());
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check("PMIx_Fence", PMIx_Fence(job, 1, &info, 1));
    for (uint32_t i = 0; i < n; i++) {
        pmix_proc_t who = me;
        who.rank = i;
        check("PMIx_Get", PMIx_Get(&who, "number", NULL, 0, &got));
        if (got->data.uint32 != 1000 + i) {
            fprintf(stderr, "PE %u sees %u for PE %u\n", me.rank, got->data.uint32, i);
            exit(92);
        }
        PMIX_VALUE_RELEASE(got);
    }
}

/* The time of the deed, as the time of a file: what comes before it may take long on a busy machine. */
static void stamp(void)
{
    const char *file = getenv("STAMP");
    FILE *f = file ? fopen(file, "w") : NULL;
    if (f)
        fclose(f);
}

static int lines(long count, unsigned long seed)
{
    const char *rank = getenv("PMIX_RANK");
    unsigned long r = seed * 1000003 + (unsigned long)atol(rank) + 1;
    char line[512];

    for (long i = 0; i < count; i++) {
        r = r * 6364136223846793005ul + 1442695040888963407ul;
        int n = snprintf(
            line, sizeof line, "%s:%ld:%.*s\n", rank, i, (int)(r >> 33) % 200,
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        int fd = r >> 60 & 1 ? 1 : 2;
        for (int at = 0; at < n;) {
            r = r * 6364136223846793005ul + 1442695040888963407ul;
            size_t piece = 1 + (r >> 33) % (unsigned long)(n - at);
            if (write(fd, line + at, piece) != (ssize_t)piece)
                return 93;
            at += (int)piece;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "fence";
    long pe = argc > 2 ? atol(argv[2]) : -1;
    int n = argc > 3 ? atoi(argv[3]) : 0;

    if (!strcmp(what, "lines"))
        return lines(pe, (unsigned long)n);
    if (!strcmp(what, "absent") && getenv("PMIX_RANK") && atol(getenv("PMIX_RANK")) == pe)
        return 0;
    check("PMIx_Init", PMIx_Init(&me, NULL, 0));
    pmix_proc_t job = me;
    job.rank = PMIX_RANK_WILDCARD;
    if (!strcmp(what, "keys")) {
        keys(&job);
    } else if (!strcmp(what, "fence")) {
        fence(&job);
    } else if (pe >= 0 && me.rank != (pmix_rank_t)pe) {
        PMIx_Fence(NULL, 0, NULL, 0);
        sleep(60);
    } else if (!strcmp(what, "abort")) {
        stamp();
        PMIx_Abort(n, argc > 4 ? argv[4] : "", NULL, 0);
        sleep(60);
    } else if (!strcmp(what, "leave")) {
        _exit(0);
    } else if (!strcmp(what, "signal")) {
        stamp();
        signal(n, SIG_DFL); /* sanitizers catch some */
        raise(n);
    } else if (!strcmp(what, "exit")) {
        if (n == 0)
            PMIx_Finalize(NULL, 0);
        stamp();
        return n;
    }
    check("PMIx_Finalize", PMIx_Finalize(NULL, 0));
    return 0;
}
