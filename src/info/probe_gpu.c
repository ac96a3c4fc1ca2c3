/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs, as the CUDA driver sees them. Its functions are called by name: nothing here needs CUDA to be built. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "probe.h"

/* From the driver's interface, which does not change. */
enum { CUDA_SUCCESS = 0, ATTR_MAJOR = 75, ATTR_MINOR = 76 };

struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *count);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int len, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*memory)(size_t *bytes, int device);
    int (*error_string)(int error, const char **text);
};

static bool load(struct driver *d, struct reasons *why)
{
    struct reasons loader = {""};
    void *lib = open_library("libcuda.so.1", &loader);
    if (!lib) {
        reasons_add(why, "no CUDA driver (%s)", loader.text);
        return false;
    }
    d->init = (int (*)(unsigned))dlsym(lib, "cuInit");
    d->version = (int (*)(int *))dlsym(lib, "cuDriverGetVersion");
    d->count = (int (*)(int *))dlsym(lib, "cuDeviceGetCount");
    d->get = (int (*)(int *, int))dlsym(lib, "cuDeviceGet");
    d->name = (int (*)(char *, int, int))dlsym(lib, "cuDeviceGetName");
    d->attribute = (int (*)(int *, int, int))dlsym(lib, "cuDeviceGetAttribute");
    d->memory = (int (*)(size_t *, int))dlsym(lib, "cuDeviceTotalMem_v2");
    d->error_string = (int (*)(int, const char **))dlsym(lib, "cuGetErrorString");
    if (d->init && d->version && d->count && d->get && d->name && d->attribute && d->memory && d->error_string)
        return true;
    reasons_add(why, "libcuda.so.1 lacks functions of the driver interface");
    return false;
}

static bool check(const struct driver *d, const char *call, int error, struct reasons *why)
{
    const char *text = NULL;
    if (error == CUDA_SUCCESS)
        return true;
    if (d->error_string(error, &text) != CUDA_SUCCESS || !text)
        text = "unknown error";
    reasons_add(why, "%s: %s (%d)", call, text, error);
    return false;
}

static void show_device(const struct driver *d, int ordinal, struct out *o)
{
    char name[256] = "";
    int device, major = 0, minor = 0;
    size_t bytes = 0;
    if (d->get(&device, ordinal) != CUDA_SUCCESS)
        return;
    d->name(name, sizeof name - 1, device);
    d->attribute(&major, ATTR_MAJOR, device);
    d->attribute(&minor, ATTR_MINOR, device);
    d->memory(&bytes, device);
    if (o->json) {
        out_open(o, NULL);
        out_text(o, "name", "%s", name);
        out_text(o, "compute_capability", "%d.%d", major, minor);
        out_number(o, "memory_bytes", (long long)bytes);
        out_close(o);
    } else {
        out_text(o, NULL, "%d: %s, compute capability %d.%d, %.1f GiB", ordinal, name, major, minor,
                 (double)bytes / (1 << 30));
    }
}

/* Loads the driver and counts its GPUs; false, with a reason, when there is none to use. *loaded: d may be called. */
static bool start(struct driver *d, bool *loaded, int *count, struct reasons *why)
{
    *count = 0;
    *loaded = load(d, why);
    if (!*loaded || !check(d, "cuInit", d->init(0), why) || !check(d, "cuDeviceGetCount", d->count(count), why))
        return false;
    if (*count == 0)
        reasons_add(why, "the CUDA driver sees no GPU");
    return *count > 0;
}

bool gpu_usable(void)
{
    struct driver d;
    struct reasons why = {""};
    bool loaded;
    int count;
    return start(&d, &loaded, &count, &why);
}

void probe_gpu(struct out *o)
{
    struct driver d = {0};
    struct reasons why = {""};
    char kernel[128];
    int count, cuda = 0;
    bool loaded, works = start(&d, &loaded, &count, &why);
    out_open(o, "gpus");
    out_verdict(o, works, why.text);
    if (loaded && d.version(&cuda) == CUDA_SUCCESS)
        out_text(o, "driver_cuda", "%d.%d", cuda / 1000, cuda % 1000 / 10);
    if (read_line("/sys/module/nvidia/version", kernel, sizeof kernel))
        out_text(o, "kernel_driver", "%s", kernel);
    out_list(o, "devices");
    for (int i = 0; works && i < count; i++)
        show_device(&d, i, o);
    out_list_end(o);
    out_close(o);
}
