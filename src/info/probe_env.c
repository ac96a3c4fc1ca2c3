/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/env.h"
#include "probe.h"

static void text_or_null(struct out *o, const char *key, const char *text)
{
    if (text && *text)
        out_text(o, key, "%s", text);
    else
        out_null(o, key);
}

void probe_env(struct out *o)
{
    static const char *const categories[] = {
        [GS_ENV_STANDARD] = "openshmem", [GS_ENV_GIN_SHMEM] = "gin_shmem", [GS_ENV_INTERNAL] = "internal"};
    if (!o->json) {
        gs_env_print(o->to, true);
        return;
    }
    out_list(o, "environment");
    for (size_t i = 0; i < gs_env_rows(); i++) {
        struct gs_env_row r = gs_env_row(i);
        out_open(o, NULL);
        out_text(o, "name", "%s", r.name);
        text_or_null(o, "value", r.value);
        text_or_null(o, "default", r.dflt);
        text_or_null(o, "set_by", r.set_by);
        out_bool(o, "valid", !r.invalid);
        text_or_null(o, "deprecated_name", r.alias);
        out_text(o, "category", "%s", categories[r.category]);
        out_text(o, "help", "%s", r.help);
        out_close(o);
    }
    out_list_end(o);
}
