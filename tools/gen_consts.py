#!/usr/bin/env python3
"""Writes the derived constants of the fields, for host and device, from the two moduli.

Usage: tools/gen_consts.py [--check]     (from the repository root; --check compares, changes nothing)
"""
import pathlib
import sys

R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
Q = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
HEAD = "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n/* Made by tools/gen_consts.py; do not edit. */\n"


def limbs(v, n):
    return "{" + ", ".join(f"0x{(v >> (64 * i)) & (2**64 - 1):016x}ULL" for i in range(n)) + "}"


class Field:
    def __init__(self, name, mod, n):
        self.name, self.mod, self.n = name, mod, n
        self.lines = []

    def raw(self, key, v, why):
        """Plain integer limbs."""
        self.lines.append(f"/* {why} */\n#define CUZK_{self.name}_{key}_LIMBS \\\n    {limbs(v, self.n)}")

    def mont(self, key, v, why):
        """Value v of the field, stored in Montgomery form."""
        self.raw(key, v * 2 ** (64 * self.n) % self.mod, why + "; Montgomery form")

    def text(self):
        guard = f"CUZK_FF_GEN_{self.name}_CONST_GEN_H"
        return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n"
                + "\n".join(self.lines) + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


def field(name, mod, n):
    f = Field(name, mod, n)
    big = 2 ** (64 * n)
    f.raw("MOD", mod, "the modulus")
    f.lines.append(f"/* -mod^-1 mod 2^64 */\n#define CUZK_{name}_INV 0x{-pow(mod, -1, 2**64) % 2**64:016x}ULL")
    f.mont("ONE", 1, "1")
    f.raw("R2", big * big % mod, "2^(2*64*limbs) mod modulus: canonical to Montgomery")
    f.raw("R3", big ** 3 % mod, "2^(3*64*limbs) mod modulus: Montgomery inverse of a plain inverse")
    f.raw("MOD_M2", mod - 2, "modulus - 2, the exponent of Fermat inversion")
    f.raw("HALF", (mod - 1) // 2, "(modulus - 1) / 2")
    return f


def fr_file():
    f = field("FR", R, 4)
    f.mont("GENERATOR", 7, "7, the multiplicative generator of bellperson and blstrs")
    f.mont("ROOT_2_32", pow(7, (R - 1) >> 32, R), "7^((r-1)/2^32)")
    f.mont("ROOT_2_32_SNARKJS", pow(5, (R - 1) >> 32, R), "5^((r-1)/2^32), snarkjs's choice")
    f.mont("TWO_INV", pow(2, -1, R), "1/2")
    return f.text()


def fp_file():
    f = field("FP", Q, 6)
    f.raw("SQRT_EXP", (Q + 1) // 4, "(q + 1) / 4")
    f.mont("TWO_INV", pow(2, -1, Q), "1/2")
    f.mont("B", 4, "4, the constant of y^2 = x^3 + 4")
    return f.text()


FILES = {"src/ff/gen/fr_const_gen.h": fr_file, "src/ff/gen/fp_const_gen.h": fp_file}


def main():
    rc = 0
    for path, make in FILES.items():
        text, p = make(), pathlib.Path(path)
        if "--check" in sys.argv:
            if not p.exists() or p.read_text() != text:
                print(f"{path}: not what tools/gen_consts.py makes")
                rc = 1
        else:
            p.parent.mkdir(parents=True, exist_ok=True)
            p.write_text(text)
    return rc


if __name__ == "__main__":
    sys.exit(main())
