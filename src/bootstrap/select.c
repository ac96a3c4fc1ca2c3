/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bootstrap serves this process. */
#include <stdlib.h>
#include <string.h>

#include "bootstrap/bootstrap.h"
#include "core/env.h"
#include "core/log.h"

/* In the order in which they are tried. */
static const struct gs_boot_ops *const all_ops[] = {&gs_boot_uid, &gs_boot_pmix, &gs_boot_env, &gs_boot_singleton};
enum { N_OPS = sizeof all_ops / sizeof *all_ops };

/* Variables that tell of other PEs, with what to type so that we find them. */
static const struct hint {
    const char *name, *remedy;
} hints[] = {
    {"SLURM_STEP_NUM_TASKS", "start it with `srun --mpi=pmix`"},
    {"SLURM_NTASKS", "start it with `srun --mpi=pmix`"},
    {"SLURM_NPROCS", "start it with `srun --mpi=pmix`"},
    {"OMPI_COMM_WORLD_SIZE", "start it with an mpirun that serves PMIx (Open MPI 4 or newer), or with oshrun"},
    {"PMI_SIZE", "this launcher speaks PMI, not PMIx: start it with oshrun, Open MPI's mpirun or `srun --mpi=pmix`"},
    {"MV2_COMM_WORLD_SIZE", "start it with oshrun, Open MPI's mpirun or `srun --mpi=pmix`"},
    {"MPI_LOCALNRANKS", "start it with oshrun, Open MPI's mpirun or `srun --mpi=pmix`"},
    {"FLUX_JOB_SIZE", "start it with `flux run -o pmi=pmix` or oshrun"},
    {"JSM_NAMESPACE_SIZE", "start it with `jsrun` under PMIx or oshrun"},
    {"WORLD_SIZE", "set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun does, or start it with oshrun"},
};

/* Nonzero, logged, when the environment says that this process is one of several. */
static int refuse_if_others(void)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const char *value = getenv(hints[i].name);
        if (value && strtol(value, NULL, 10) > 1) {
            gs_error("%s=%s says that this process is one of several PEs, but nothing leads to the others: %s; "
                     "or set GIN_SHMEM_BOOTSTRAP=singleton to run this one alone",
                     hints[i].name, value, hints[i].remedy);
            return -1;
        }
    }
    return 0;
}

/* torchrun inside a step of mpirun or srun: the workers inherit their launcher's one PMIx rank, which is not theirs. */
static bool torchrun_is_inner(const struct gs_boot_attr *attr)
{
    char why[8];
    return getenv("TORCHELASTIC_RUN_ID") && gs_boot_env.probe(attr, why, sizeof why) == GS_BOOT_USABLE;
}

static const struct gs_boot_ops *choose_forced(const char *name, const struct gs_boot_attr *attr)
{
    char why[512] = "";

    for (int i = 0; i < N_OPS; i++) {
        if (strcmp(all_ops[i]->name, name))
            continue;
        if (all_ops[i]->probe(attr, why, sizeof why) == GS_BOOT_USABLE)
            return all_ops[i];
        gs_error("GIN_SHMEM_BOOTSTRAP=%s cannot work here: %s", name, why);
        return NULL;
    }
    gs_error("GIN_SHMEM_BOOTSTRAP=%s: no such bootstrap; there are pmix, env, uid and singleton, "
             "and without the variable the first that works is taken",
             name);
    return NULL;
}

static const struct gs_boot_ops *choose(const struct gs_boot_attr *attr)
{
    char why[512] = "";
    bool skip_pmix = torchrun_is_inner(attr);

    for (int i = 0; i < N_OPS; i++) {
        const struct gs_boot_ops *ops = all_ops[i];
        if (ops == &gs_boot_pmix && skip_pmix)
            continue;
        if (ops == &gs_boot_singleton && refuse_if_others())
            return NULL;
        switch (ops->probe(attr, why, sizeof why)) {
        case GS_BOOT_USABLE:
            return ops;
        case GS_BOOT_BROKEN:
            gs_error("bootstrap %s: %s", ops->name, why);
            return NULL;
        case GS_BOOT_ABSENT:
            gs_debug("bootstrap %s is not for us: %s", ops->name, why);
        }
    }
    return NULL;
}

int gs_boot_start(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    const char *forced = gs_env.bootstrap;
    const struct gs_boot_ops *ops = forced && *forced ? choose_forced(forced, attr) : choose(attr);

    if (!ops)
        return -1;
    *b = (struct gs_boot){.ops = ops, .local_rank = -1};
    int rc = ops->init(b, attr);
    if (rc) {
        *b = (struct gs_boot){0};
        return rc;
    }
    gs_log_pe = b->rank;
    gs_info("bootstrap %s: PE %d of %d", ops->name, b->rank, b->size);
    return 0;
}

int gs_boot_stop(struct gs_boot *b)
{
    if (!b->ops)
        return 0;
    int rc = b->ops->finalize(b);
    *b = (struct gs_boot){0};
    return rc;
}
