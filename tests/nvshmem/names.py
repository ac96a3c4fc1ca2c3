#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every name of NVSHMEM's API is there: names.py KIND LIST OUT writes a source that does not compile otherwise.

host    for a C++ compiler with CUDA's headers: takes the address of each function of the host
device  for nvcc: names each function, on its side; no code is made
cpu     for kernels on the CPU: takes the address of each function, so that its code is made as well
LIST has a name and its side (H, D or HD) a line.
"""
import sys

# What says at compile time that it cannot work.
REFUSED = {"nvshmemx_double2_maxloc_reduce_block"}
# Of the driver API, which the CPU machine has not.
DRIVER = {"nvshmemx_" + n for n in ("cumodule_init", "cumodule_finalize", "culibrary_init", "culibrary_finalize")}
# Overloaded: with a kernel, or with its address.
OVERLOADED = {
    "nvshmemx_collective_launch": "int (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t)",
    "nvshmemx_collective_launch_query_gridsize": "int (*)(const void *, dim3, void **, size_t, int *)",
}

HEAD = """#include <nvshmem.h>
#include <nvshmemx.h>
"""


def taken(name, template):
    address = f"&{name}<>" if template else f"&{name}"
    return f"static_cast<{OVERLOADED[name]}>({address})" if name in OVERLOADED else address


def addresses(names, template):
    lines = [f"    (void *){taken(n, template)},\n" for n in names]
    return (HEAD + "static void *volatile all[] = {\n" + "".join(lines) +
            "};\nint main()\n{\n    for (void *volatile *p = all; p < all + sizeof all / sizeof *all; p++)\n"
            "        if (!*p)\n            return 1;\n    return 0;\n}\n")


def named(names, side, head):
    return head + "\n{\n" + "".join(f"    (void)sizeof(decltype({taken(n, True)}));\n" for n, s in names if side in s) + "}\n"


def main():
    kind, source, out = sys.argv[1:]
    with open(source) as f:
        names = [line.split() for line in f]
    if len(names) != 3459 or len({n for n, _ in names}) != 3459:
        sys.exit(f"{source} has {len(names)} names; NVSHMEM 3.5 has 3459")
    if kind == "host":
        text = addresses([n for n, s in names if "H" in s and n not in REFUSED], False)
    elif kind == "cpu":
        text = addresses([n for n, _ in names if n not in REFUSED | DRIVER], True)
    else:
        text = (HEAD + named(names, "H", "void host()") + named(names, "D", "__global__ void device()") +
                "int main()\n{\n    host();\n}\n")
    with open(out, "w") as f:
        f.write(text)


main()
