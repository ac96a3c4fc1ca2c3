#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One conformance test: conform.py TEST --bin DIR [--lib FILE] [--compiler CC] [--std STD] [--work DIR]

symbols    the library exports every function and its profiling name, and nothing else
headers    each public header compiles, alone and with the others, without a warning
functions  shmem.h declares every function with the standard's prototype; the program links, the addresses differ
profiling  the same for pshmem.h
generics   every type-generic interface with every type: compiled, and run as a single PE
constants  constants.c: every constant and handle of the standard, of the right kind
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

import api
import generics

HEADERS = ("shmem.h", "pshmem.h", "shmemx.h", "mpp/shmem.h", "mpp/shmemx.h")
OTHER_NAMES = "start_pes _my_pe _num_pes shmalloc shfree shrealloc shmemalign".split()
WARNINGS = "-Wall -Wextra -Werror -pedantic".split()


def fail(text):
    print(text)
    sys.exit(1)


class Compiler:
    """The wrapper of the build tree around one compiler, so that the wrapper is tested as well."""

    def __init__(self, args):
        self.std, self.work = args.std, args.work
        self.cplusplus = "++" in args.std
        self.wrapper = os.path.join(args.bin, "oshc++" if self.cplusplus else "oshcc")
        self.environment = dict(os.environ, **{"OSHCC_CXX" if self.cplusplus else "OSHCC_CC": args.compiler})
        os.makedirs(self.work, exist_ok=True)

    def build(self, name, source, *options, link=True):
        path = os.path.join(self.work, name + (".cc" if self.cplusplus else ".c"))
        with open(path, "w") as f:
            f.write(source)
        output = os.path.join(self.work, name)
        command = [self.wrapper, f"-std={self.std}", *WARNINGS, "-O0", *options, "-o", output, path]
        if not link:
            command.append("-c")
        result = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0 or result.stdout:
            lines = result.stdout.splitlines()
            print("\n".join(lines[:60]))
            fail(f"{shlex.join(command)}: status {result.returncode}, {len(lines)} lines of output")
        return output

    def run(self, program):
        result = subprocess.run([program], timeout=60)
        if result.returncode != 0:
            fail(f"{program}: status {result.returncode}")


def test_symbols(args):
    names = {f.name for f in api.load()[0]}
    if len(names) != 1788:
        fail(f"the list of symbols has {len(names)} names; OpenSHMEM 1.6 has 1788")
    expected = names | {"p" + n for n in names}
    output = subprocess.run(["nm", "-D", "--defined-only", args.lib], check=True, stdout=subprocess.PIPE, text=True).stdout
    exported = {}
    for line in output.splitlines():
        kind, name = line.split()[1:3]
        exported[name.split("@")[0]] = kind
    missing = sorted(expected - {n for n, kind in exported.items() if kind in "TWi"})
    allowed = re.compile(r"p?(shmem[xg]?_\w+|" + "|".join(OTHER_NAMES) + ")")
    foreign = sorted(n for n, kind in exported.items() if kind != "A" and not allowed.fullmatch(n))
    ours = re.compile(r"p?shmem[xg]_\w+")
    extra = sorted(n for n, kind in exported.items() if kind in "TWi" and n not in expected and not ours.fullmatch(n)
                   and n not in foreign)
    print(f"{len(exported)} exported, {len(missing)} missing, {len(foreign)} foreign, "
          f"{len(extra)} shmem_ names outside the standard")
    if extra:
        print("outside the standard:", *extra)
    if missing or foreign:
        fail("\n".join(["missing: " + n for n in missing] + ["foreign: " + n for n in foreign]))


def test_headers(args):
    compiler = Compiler(args)
    orders = [(h,) for h in HEADERS] + [HEADERS + HEADERS, HEADERS[::-1]]
    for i, order in enumerate(orders):
        text = "".join(f"#include <{h}>\n" for h in order) + "int main(void) { return 0; }\n"
        compiler.build(f"headers{i}", text, link=False)
    print(f"{len(HEADERS)} headers, {len(orders)} sources")


PRELUDE = """#ifdef __cplusplus
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
typedef std::complex<double> COMPLEXD;
typedef std::complex<float> COMPLEXF;
#else
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef double _Complex COMPLEXD;
typedef float _Complex COMPLEXF;
#endif
"""


def test_functions(args, header="shmem.h", prefix=""):
    compiler = Compiler(args)
    functions = api.load()[0]
    lines = [f"#include <{header}>\n", PRELUDE]
    for i, f in enumerate(functions):
        lines.append(f"static {f.returns} (*volatile f{i})({f.parameters}) = {prefix}{f.name};\n")
    lines.append("typedef void (*any)(void);\nint main(void)\n{\n    static any all[%d];\n" % len(functions))
    for i in range(len(functions)):
        lines.append(f"    all[{i}] = (any)f{i};\n")
    lines.append("""    int n = sizeof all / sizeof all[0], bad = 0;
    for (int i = 0; i < n; i++) {
        bad += !all[i];
        for (int j = 0; j < i; j++)
            bad += all[i] == all[j];
    }
    printf("%d functions, %d null or equal to another\\n", n, bad);
    return bad != 0;
}
""")
    # Only the cast of a function pointer to another type is questionable here, and it is never called.
    quiet = ["-Wno-cast-function-type"]
    compiler.run(compiler.build(prefix + "functions", "".join(lines), *quiet))


def test_profiling(args):
    test_functions(args, "pshmem.h", "p")


def test_generics(args):
    compiler = Compiler(args)
    parts = generics.generate(api.load()[1], PRELUDE)
    # In parts: one file with all calls takes the compiler gigabytes.
    for name, source, calls in parts:
        compiler.run(compiler.build("generics_" + name, source))
    print(f"{sum(calls for _, _, calls in parts)} calls in {len(parts)} programs")


def test_constants(args):
    compiler = Compiler(args)
    with open(os.path.join(api.HERE, "constants.c")) as f:
        compiler.run(compiler.build("constants", f.read()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", choices=[n[5:] for n in globals() if n.startswith("test_")])
    parser.add_argument("--bin")
    parser.add_argument("--lib")
    parser.add_argument("--compiler")
    parser.add_argument("--std", default="c11")
    parser.add_argument("--work")
    args = parser.parse_args()
    globals()["test_" + args.test](args)


if __name__ == "__main__":
    main()
