# SPDX-License-Identifier: BSD-3-Clause
"""The API of OpenSHMEM 1.6 as the test data tells it: symbols-1.6.tsv (names) and prototypes.txt."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

C_TYPES = {
    "float": "float", "double": "double", "longdouble": "long double", "char": "char", "schar": "signed char",
    "short": "short", "int": "int", "long": "long", "longlong": "long long", "uchar": "unsigned char",
    "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long", "ulonglong": "unsigned long long",
    "size": "size_t", "ptrdiff": "ptrdiff_t", "complexd": "COMPLEXD", "complexf": "COMPLEXF",
}
C_TYPES.update({f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)})


class Function:
    """A C function: its name, and its prototype with the type put in."""

    def __init__(self, name, family, returns, parameters):
        self.name, self.family, self.returns, self.parameters = name, family, returns, parameters


class Generic:
    """A type-generic interface: name, return type, parameters (TYPE in them), and the names of the types it takes."""

    def __init__(self, name, returns, parameters, types):
        self.name, self.returns, self.parameters, self.types = name, returns, parameters, types
        self.context = parameters.startswith("shmem_ctx_t")


def _split(prototype):
    returns, name, parameters = re.fullmatch(r"(.*?)([\w<>]+)\((.*)\)", prototype).groups()
    return returns.strip(), name, parameters


def _typed(text, ctype):
    return re.sub(r"\bTYPE\b", ctype, text)


def load():
    """(functions, generics)"""
    rows = {"C": {}, "G": []}
    with open(os.path.join(HERE, "prototypes.txt")) as f:
        for line in f:
            if line.startswith("C "):
                returns, name, parameters = _split(line[2:].strip())
                rows["C"][name] = (returns, parameters)
            elif line.startswith("G "):
                rows["G"].append(_split(line[2:].strip()))
    functions, family_types = [], {}
    with open(os.path.join(HERE, "symbols-1.6.tsv")) as f:
        for line in f:
            _, family, _, name = line.rstrip("\n").split("\t")
            returns, parameters = rows["C"][family]
            typename = re.fullmatch(re.escape(family).replace("<TYPENAME>", r"(\w+)").replace("<SIZE>", r"\d+"), name)
            if "<TYPENAME>" in family:
                ctype = C_TYPES[typename.group(1)]
                returns, parameters = _typed(returns, ctype), _typed(parameters, ctype)
                family_types.setdefault(family, []).append(typename.group(1))
            functions.append(Function(name, family, returns, parameters))
    generics = []
    for returns, name, parameters in rows["G"]:
        infix = "shmem_ctx_<TYPENAME>_" if parameters.startswith("shmem_ctx_t") else "shmem_<TYPENAME>_"
        types = family_types[infix + name[len("shmem_"):]] if "TYPE" in parameters else []
        generics.append(Generic(name, returns, parameters, types))
    return functions, generics
