/* SPDX-License-Identifier: BSD-3-Clause */
#include <nvshmem/gin_nvshmem/version.h>
#include <stdlib.h>

#include "api/nvshmem_env.h"
#include "probe.h"

static void text_or_null(struct out *o, const char *key, const char *text)
{
    if (text)
        out_text(o, key, "%s", text);
    else
        out_null(o, key);
}

static void variables_json(struct out *o)
{
    struct gs_nvshmem_var v;
    char text[256];
    out_list(o, "variables");
    for (size_t i = 0; gs_nvshmem_var(i, &v, text, sizeof text); i++) {
        out_open(o, NULL);
        out_text(o, "name", "%s", v.name);
        text_or_null(o, "value", getenv(v.name));
        text_or_null(o, "ours", v.ours);
        out_text(o, "help", "%s", v.help);
        out_close(o);
    }
    out_list_end(o);
}

static void variables_text(FILE *to)
{
    struct gs_nvshmem_var v;
    char text[256];
    fputs("\nvariables\n", to);
    for (size_t i = 0; gs_nvshmem_var(i, &v, text, sizeof text); i++) {
        const char *set = getenv(v.name);
        fprintf(to, "%s%s%s", v.name, set ? "=" : " (not set)", set ? set : "");
        if (v.value && getenv(v.ours))
            fprintf(to, ", but %s goes before it", v.ours);
        else if (v.value)
            fprintf(to, ", which is %s=%s", v.ours, v.value);
        fprintf(to, "\n    %s: %s\n", v.ours ? v.ours : "no meaning here", v.help);
    }
}

void probe_nvshmem(struct out *o)
{
    struct reasons mpi = {0};
    bool there = module_present("libginshmem_mpi.so", &mpi);
    if (!o->json)
        fprintf(o->to, "NVSHMEM API %d.%d.%d on gin_shmem %s\n", NVSHMEM_VENDOR_MAJOR_VERSION,
                NVSHMEM_VENDOR_MINOR_VERSION, NVSHMEM_VENDOR_PATCH_VERSION, GS_VERSION);
    out_open(o, "nvshmem");
    out_text(o, "api_version", "%d.%d.%d", NVSHMEM_VENDOR_MAJOR_VERSION, NVSHMEM_VENDOR_MINOR_VERSION,
             NVSHMEM_VENDOR_PATCH_VERSION);
    out_text(o, "specification", "%d.%d", NVSHMEM_MAJOR_VERSION, NVSHMEM_MINOR_VERSION);
    out_text(o, "start_by_launcher", "nvshmem_init, under oshrun, mpirun, srun or torchrun");
    out_text(o, "start_by_unique_id", "nvshmemx_init_attr with NVSHMEMX_INIT_WITH_UNIQUEID, from anything");
    out_open(o, "start_by_mpi_communicator");
    out_verdict(o, there, there ? "nvshmemx_init_attr with NVSHMEMX_INIT_WITH_MPI_COMM" : mpi.text);
    out_close(o);
    if (o->json)
        variables_json(o);
    out_close(o);
    if (!o->json)
        variables_text(o->to);
    probe_build(o);
    probe_gpu(o);
}
