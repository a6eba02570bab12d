#!/usr/bin/env python3
"""Writes the derived constants of the fields, for host and device, from the two moduli.

Usage: tools/gen/gen_consts.py [--check]     (from the repository root; --check compares, changes nothing)
"""
import pathlib
import sys

R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
Q = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
HEAD = "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n/* Made by tools/gen/gen_consts.py; do not edit. */\n"


def limbs(v, n):
    return "{" + ", ".join(f"0x{(v >> (64 * i)) & (2**64 - 1):016x}ULL" for i in range(n)) + "}"


def limbs62(v, n):
    return "{" + ", ".join(f"0x{(v >> (62 * i)) & (2**62 - 1):016x}LL" for i in range(n)) + "}"


class Field:
    def __init__(self, name, mod, n, folder="FF"):
        self.name, self.mod, self.n, self.folder = name, mod, n, folder
        self.lines = []

    def raw(self, key, v, why):
        """Plain integer limbs."""
        self.lines.append(f"/* {why} */\n#define CUZK_{self.name}_{key}_LIMBS \\\n    {limbs(v, self.n)}")

    def mont(self, key, v, why):
        """Value v of the field, stored in Montgomery form."""
        self.raw(key, v * 2 ** (64 * self.n) % self.mod, why + "; Montgomery form")

    def text(self):
        guard = f"CUZK_{self.folder}_GEN_{self.name}_CONST_GEN_H"
        return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n"
                + "\n".join(self.lines) + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


def field(name, mod, n):
    f = Field(name, mod, n)
    big = 2 ** (64 * n)
    f.raw("MOD", mod, "the modulus")
    f.raw("MOD2", 2 * mod, "2 * modulus")
    f.lines.append(f"/* -mod^-1 mod 2^64 */\n#define CUZK_{name}_INV 0x{-pow(mod, -1, 2**64) % 2**64:016x}ULL")
    f.mont("ONE", 1, "1")
    f.raw("R2", big * big % mod, "2^(2*64*limbs) mod modulus: canonical to Montgomery")
    f.raw("R3", big ** 3 % mod, "2^(3*64*limbs) mod modulus: Montgomery inverse of a plain inverse")
    n62 = (64 * n + 2 + 61) // 62  # room for the sign
    f.lines.append(f"/* modulus, limbs of 62 bits */\n#define CUZK_{name}_MOD62_LIMBS \\\n    {limbs62(mod, n62)}")
    f.lines.append(f"/* 2^(2*64*limbs) mod modulus, limbs of 62 bits */\n"
                   f"#define CUZK_{name}_R2_62_LIMBS \\\n    {limbs62(big * big % mod, n62)}")
    f.lines.append(f"/* mod^-1 mod 2^62 */\n#define CUZK_{name}_MOD_INV62 0x{pow(mod, -1, 2**62):016x}ULL")
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
    f.lines.append("/* q * 2^382 */\n"
                   f"#define CUZK_FP_MOD_SHL382_LIMBS \\\n    {limbs(Q << 382, 12)}")
    f.lines.append("/* q * 2^382, limbs 5 to 11 (0 to 4 are zero): correction of wide values */\n"
                   f"#define CUZK_FP_MOD_SHL382_HIGH_LIMBS \\\n    {limbs(Q << 382 >> 320, 7)}")
    f.mont("TWO_INV", pow(2, -1, Q), "1/2")
    f.mont("B", 4, "4, the constant of y^2 = x^3 + 4")
    return f.text()


# Powers that the windows of the (q-3)/4 chain use, each the sum of two earlier ones; found by a random
# search for few multiplications (20 here and 53 between windows).
CHAIN = [1, 2, 4, 5, 7, 9, 11, 13, 17, 21, 23, 25, 38, 39, 59, 98, 115, 123, 196, 221, 255]


def chain_file():
    """Schedule for a^((q-3)/4): sums to build the powers, then (squarings, power) steps."""
    e = (Q - 3) // 4
    bits = bin(e)[2:]
    n = len(bits)
    best = [0] * (n + 1)  # fewest windows from bit i on, and the window to take there
    take = [None] * n
    for i in range(n - 1, -1, -1):
        if bits[i] == "0":
            best[i] = best[i + 1]
            continue
        fits = [v for v in CHAIN if v % 2 and bits[i:].startswith(bin(v)[2:])]
        take[i] = min(fits, key=lambda v: best[i + v.bit_length()])
        best[i] = best[i + take[i].bit_length()] + 1
    steps, i, sq = [], 0, 0
    while i < n:
        if take[i] is None:
            sq, i = sq + 1, i + 1
            continue
        steps.append((sq + take[i].bit_length(), CHAIN.index(take[i])))
        sq, i = 0, i + take[i].bit_length()
    acc = 0
    for k, v in steps:
        acc = (acc << k) + CHAIN[v]
    assert acc << sq == e
    sums = []
    for k, v in enumerate(CHAIN[1:], 1):
        sums.append(next((CHAIN.index(v - x), j) for j, x in enumerate(CHAIN[:k]) if v - x in CHAIN[:k]))
    guard = "CUZK_FF_GEN_FP_CHAIN_GEN_H"
    rows = [", ".join("{%d, %d}" % x for x in part[i:i + 12]) for part in (sums, steps[1:])
            for i in range(0, len(part), 12)]
    cut = -(-len(sums) // 12)
    return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n"
            + "/* power[i + 1] = power[first] * power[second], power[0] = a */\n"
            + "#define CUZK_FP_CHAIN_SUMS \\\n    " + ", \\\n    ".join(rows[:cut])
            + f"\n/* start with power[{steps[0][1]}]; then {{squarings, power to multiply by}} */\n"
            + f"#define CUZK_FP_CHAIN_START {steps[0][1]}\n"
            + "#define CUZK_FP_CHAIN_STEPS \\\n    " + ", \\\n    ".join(rows[cut:])
            + f"\n/* squarings at the end */\n#define CUZK_FP_CHAIN_TAIL {sq}"
            + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


# The curve parameter: q = (z-1)^2 (z^4-z^2+1)/3 + z, r = z^4 - z^2 + 1. Generators: draft-irtf-cfrg-pairing-friendly-curves 4.2.1.
Z = -0xD201000000010000
G1_GEN = (0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
          0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1)
G2_GEN = ((0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
           0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E),
          (0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
           0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE))


def fp2_mul(a, b):
    return (a[0] * b[0] - a[1] * b[1]) % Q, (a[0] * b[1] + a[1] * b[0]) % Q


def fp2_pow(a, e):
    if e < 0:
        n = pow(a[0] * a[0] + a[1] * a[1], -1, Q)
        a, e = (a[0] * n % Q, -a[1] * n % Q), -e
    out = (1, 0)
    while e:
        if e & 1:
            out = fp2_mul(out, a)
        a, e = fp2_mul(a, a), e >> 1
    return out


def ec_file():
    assert Q == (Z - 1) ** 2 * (Z ** 4 - Z ** 2 + 1) // 3 + Z and R == Z ** 4 - Z ** 2 + 1
    f = Field("EC", Q, 6, "EC")

    def pair(key, v, why):
        f.mont(key + "_C0", v[0], why + ", real part")
        f.mont(key + "_C1", v[1], why + ", part of i")

    f.mont("G1_GEN_X", G1_GEN[0], "generator of G1, x")
    f.mont("G1_GEN_Y", G1_GEN[1], "generator of G1, y")
    pair("G2_GEN_X", G2_GEN[0], "generator of G2, x")
    pair("G2_GEN_Y", G2_GEN[1], "generator of G2, y")
    f.mont("BETA", pow(2, (Q - 1) // 3, Q), "2^((q-1)/3), a cube root of 1: (beta x, y) is -z^2 (x, y) in G1")
    f.mont("BETA2", pow(2, 2 * (Q - 1) // 3, Q), "beta^2: (beta^2 x, y) is -z^2 (x, y) in G2")
    pair("PSI_X", fp2_pow((1, 1), -((Q - 1) // 3)), "(1+i)^(-(q-1)/3)")
    pair("PSI_Y", fp2_pow((1, 1), -((Q - 1) // 2)), "(1+i)^(-(q-1)/2)")
    f.lines.append(f"/* |z|; z is negative */\n#define CUZK_EC_Z_ABS 0x{-Z:016x}ULL")
    f.lines.append(f"/* floor((2^128 - 1) / |z|) - 2^64 */\n#define CUZK_EC_Z_RECIPROCAL 0x{(2**128 - 1) // -Z - 2**64:016x}ULL")
    f.lines.append(f"/* z^2 */\n#define CUZK_EC_Z2_LIMBS \\\n    {limbs(Z * Z, 2)}")
    f.lines.append(f"/* floor(2^255 / z^2) */\n#define CUZK_EC_Z2_RECIPROCAL_LIMBS \\\n    {limbs(2**255 // (Z * Z), 2)}")
    f.lines.append(f"/* -z^2 mod r, the eigenvalue of (beta x, y) */\n#define CUZK_EC_LAMBDA_LIMBS \\\n    {limbs(-Z * Z % R, 4)}")
    f.lines.append(f"/* z mod r, the eigenvalue of psi */\n#define CUZK_EC_PSI_LAMBDA_LIMBS \\\n    {limbs(Z % R, 4)}")
    return f.text()


def quads(v, n):
    return ", ".join(f"0x{(v >> (64 * i)) & (2**64 - 1):016x}" for i in range(n))


def asm_file():
    """Operands of .quad for the assembly kernels (no suffixes, no braces)."""
    guard = "CUZK_FF_GEN_ASM_CONST_GEN_H"
    lines = []
    for name, mod, n in (("FR", R, 4), ("FP", Q, 6)):
        lines.append(f"/* the modulus */\n#define CUZK_{name}_MOD_QUADS {quads(mod, n)}")
        lines.append(f"/* 2^-64 mod modulus */\n#define CUZK_{name}_R64_QUADS {quads(pow(2, -64, mod), n)}")
        lines.append(f"/* -mod^-1 mod 2^64 */\n#define CUZK_{name}_INV_QUAD {quads(-pow(mod, -1, 2**64) % 2**64, 1)}")
    lines.append(f"/* q * 2^382, limbs 5 to 11 */\n#define CUZK_FP_MOD_SHL382_HIGH_QUADS {quads(Q << 382 >> 320, 7)}")
    return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n" + "\n".join(lines)
            + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


def tower_file():
    f = Field("TOWER", Q, 6)

    def table(key, rows, why):
        body = ", \\\n     ".join(rows)
        f.lines.append(f"/* {why}; Montgomery form */\n#define CUZK_TOWER_{key} \\\n    {{{body}}}")

    def mont(v):
        return "{" + limbs(v * 2 ** 384 % Q, 6) + "}"

    once = [fp2_pow((1, 1), j * ((Q - 1) // 6)) for j in range(6)]
    twice = [fp2_pow((1, 1), j * ((Q * Q - 1) // 6)) for j in range(6)]
    assert all(v[1] == 0 for v in twice)
    table("FROBENIUS1", ["{" + mont(v[0]) + ", " + mont(v[1]) + "}" for v in once], "(1+i)^(j (q-1)/6), j = 0..5")
    table("FROBENIUS2", [mont(v[0]) for v in twice], "(1+i)^(j (q^2-1)/6), j = 0..5; in Fp")
    return f.text()


def limbs52(v, n=8):
    return "{" + ", ".join(f"0x{(v >> (52 * i)) & (2**52 - 1):013x}ULL" for i in range(n)) + "}"


def msm_file():
    """Endomorphism, scalar decomposition, and the radix-2^52 form of the vector kernels."""
    out = []
    lam = Z * Z - 1
    assert (lam * lam + lam + 1) % R == 0
    cube = pow(2, (Q - 1) // 3, Q)
    assert cube != 1
    r384 = 2 ** 384

    def put(key, text, why):
        out.append(f"/* {why} */\n#define CUZK_MSM_{key} \\\n    {text}")

    # test/msm checks on the generators which of the two cube roots goes with lambda in each group.
    put("G1_BETA_LIMBS", limbs(cube * cube * r384 % Q, 6), "cube root of unity with (beta*x, y) = [z^2 - 1](x, y) in G1; Montgomery form")
    put("G2_BETA_LIMBS", limbs(cube * r384 % Q, 6), "the same in G2; Montgomery form")
    put("P52", limbs52(Q), "q, radix 2^52")
    for k in (1, 3, 12, 14):
        put(f"P52_SHL{k}", limbs52(Q << k), f"2^{k} q, radix 2^52")
    put("NEGP52", limbs52(2 ** 416 - Q), "2^416 - q, radix 2^52")
    out.append(f"/* -q^-1 mod 2^52 */\n#define CUZK_MSM_PINV52 0x{-pow(Q, -1, 2**52) % 2**52:013x}ULL")
    out.append(f"/* floor(2^416 / q) */\n#define CUZK_MSM_QEST52 0x{2**416 // Q:013x}ULL")
    put("ONE52", limbs52(2 ** 416 % Q), "2^416 mod q: one")
    put("EXPORT_X52", limbs52(2 ** 404 % Q), "2^404 mod q: stored x (x * 2^396) to x * 2^384")
    put("EXPORT_Y52", limbs52(2 ** 414 % Q), "2^414 mod q: stored y (y * 2^386) to y * 2^384")
    put("G1_BETA52", limbs52(cube * cube * 2 ** 416 % Q), "beta of G1 times 2^416")
    put("G2_BETA52", limbs52(cube * 2 ** 416 % Q), "beta of G2 times 2^416")
    put("INV_FIX_LIMBS", limbs(2 ** 448 % Q, 6), "2^448 mod q: takes the 2^384 inverse of a 2^416 form to its 2^416 inverse")
    guard = "CUZK_MSM_GEN_MSM_CONST_GEN_H"
    return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n"
            + "\n".join(out) + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


def fr52_file():
    """Fr in five 52-bit limbs for AVX-512 IFMA: R = 2^260."""
    guard = "CUZK_FF_GEN_FR52_CONST_GEN_H"
    lines = []

    def put(key, v, why):
        assert 0 <= v < 2**260
        body = ", ".join(f"0x{(v >> (52 * i)) & (2**52 - 1):013x}ULL" for i in range(5))
        lines.append(f"/* {why} */\n#define CUZK_FR52_{key} \\\n    {{{body}}}")

    put("MOD", R, "r")
    put("MOD_NEG", 2**260 - R, "2^260 - r")
    for k in (2, 4, 8):
        put(f"MOD_X{k}", k * R, f"{k}r")
    put("TWIST", 2**264 % R, "2^264 mod r: the 2^260-Montgomery product with it takes a*2^256 to a*2^260")
    lines.append(f"/* -r^-1 mod 2^52 */\n#define CUZK_FR52_INV 0x{-pow(R, -1, 2**52) % 2**52:013x}ULL")
    top = R >> 208
    lines.append("/* floor(2^98 / (floor(r / 2^208) + 1)): quotient by r from the top limb */\n"
                 f"#define CUZK_FR52_QUOT 0x{2**98 // (top + 1):013x}ULL")
    # q = floor(x4 * QUOT / 2^98) never exceeds x / r, and x - q r < 2r for every x < 2^260.
    assert 2**52 * 2**208 / R - 2**52 * (2**98 // (top + 1)) / 2**98 < 1e-9
    return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n" + "\n".join(lines)
            + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


def fp28_file():
    """Fp in fourteen 28-bit limbs for four values at a time (ff/x4/fp_x4.h): R = 2^392. For C and assembly."""
    guard = "CUZK_FF_GEN_FP28_CONST_GEN_H"
    lines = []

    def put(key, limbs28, why):
        lines.append(f"/* {why} */\n#define CUZK_FP28_{key} \\\n    " + ", ".join(f"0x{v:07x}" for v in limbs28))

    def split(v):
        assert 0 <= v < 2**392
        return [v >> (28 * i) & (2**28 - 1) for i in range(14)]

    def lent(v):
        """v with every limb but the last at least 2^28 - 1."""
        out = split(v)
        out = [out[0] + 2**28] + [x + 2**28 - 1 for x in out[1:13]] + [out[13] - 1]
        assert sum(x << (28 * i) for i, x in enumerate(out)) == v and min(out[:13]) >= 2**28 - 1
        return out

    def lent_wide(least, column):
        """A multiple of q in 28 columns: the last is 0, the others are at least 2^column - 2^(column - 28), as far as a number has them."""
        v = (least * Q * Q // Q + 1) * Q
        digits = [v >> (28 * i) & (2**28 - 1) for i in range(26)] + [v >> (28 * 26)]
        lend = 1 << column
        out = [digits[0] + lend] + [d + lend - (lend >> 28) for d in digits[1:26]] + [digits[26] - (lend >> 28), 0]
        assert sum(x << (28 * i) for i, x in enumerate(out)) == v and v % Q == 0 and min(out[:26]) > 2**column - 2**35
        assert out[26] >= least * Q * Q >> (28 * 26 + 1) and max(out) < 2**63 + 2**62
        return out

    put("MOD", split(Q), "q")
    # q times this is -1 modulo 2^28: a Montgomery step with it needs no multiplication for its digit.
    easy = Q * (-pow(Q, -1, 2**28) % 2**28) + 1
    assert easy % 2**28 == 0 and easy >> 28 < Q
    put("EASY", split(easy >> 28), "(q (-1/q mod 2^28) + 1) / 2^28")
    put("MOD2_LENT", lent(2 * Q), "2 q, from whose limbs those of any number below 1.9 q can be subtracted")
    put("MOD16_LENT", lent(16 * Q), "16 q, likewise for numbers below 15 q")
    assert lent(2 * Q)[13] >= 19 * Q // 10 >> 364 and lent(16 * Q)[13] >= 15 * Q >> 364
    far = split(16 * Q)
    far = [far[0] + 2**34] + [x + 2**34 - 2**6 for x in far[1:13]] + [far[13] - 2**6]
    assert sum(x << (28 * i) for i, x in enumerate(far)) == 16 * Q and far[13] > 15 * Q >> 364
    put("MOD16_FAR", far, "16 q, from whose limbs those of a number below 15 q, each below 2^30, and 17 q can be subtracted")
    one = split(Q) # not 0: a sum with it has a top limb that is not negative before the carries from below
    one = [one[0] + 2**40] + [x + 2**40 - 2**12 for x in one[1:13]] + [one[13] - 2**12]
    assert sum(x << (28 * i) for i, x in enumerate(one)) == Q and one[13] > 0
    put("MOD_FAR", one, "q, from whose limbs those of 1250 q can be subtracted")
    put("ONE", split(2**392 % Q), "1; Montgomery form")
    put("MINUS_ONE", split(-2**392 % Q), "-1; Montgomery form")
    put("FROM_LIMBS64", split(2**400 % Q), "times this: from x 2^384 to x 2^392")
    put("TO_LIMBS64", split(2**384 % Q), "times this: from x 2^392 to x 2^384")
    for key, least, column in (("WIDE600", 600, 63), ("WIDE900", 900, 63)):
        wide = lent_wide(least, column)
        hexes = [f"0x{v:016x}" for v in wide]
        lines.append(f"/* a multiple of q, at least {least} q^2, from whose columns those of a product below that can be subtracted: "
                     f"columns 0 to 13, 14 to 27 */\n#define CUZK_FP28_{key}_LOW \\\n    " + ", ".join(hexes[:14])
                     + f"\n#define CUZK_FP28_{key}_HIGH \\\n    " + ", ".join(hexes[14:]))
    top = (Q >> 364) + 1
    lines.append(f"/* floor(2^40 / (floor(q / 2^364) + 1)): quotient by q from the top limb */\n#define CUZK_FP28_QUOT 0x{2**40 // top:x}")
    lines.append(f"/* -q^-1 mod 2^28 */\n#define CUZK_FP28_INV 0x{-pow(Q, -1, 2**28) % 2**28:07x}")
    return (HEAD + f"#ifndef {guard}\n#define {guard}\n\n/* clang-format off */\n" + "\n".join(lines)
            + f"\n/* clang-format on */\n\n#endif /* {guard} */\n")


FILES = {"src/ff/gen/fp28_const_gen.h": fp28_file, "src/ff/gen/fr_const_gen.h": fr_file, "src/ff/gen/fp_const_gen.h": fp_file,
         "src/ff/gen/asm_const_gen.h": asm_file, "src/ff/gen/fp_chain_gen.h": chain_file,
         "src/ff/gen/fr52_const_gen.h": fr52_file, "src/ff/gen/tower_const_gen.h": tower_file,
         "src/ec/gen/ec_const_gen.h": ec_file, "src/msm/gen/msm_const_gen.h": msm_file}


def main():
    rc = 0
    for path, make in FILES.items():
        text, p = make(), pathlib.Path(path)
        if "--check" in sys.argv:
            if not p.exists() or p.read_text() != text:
                print(f"{path}: not what tools/gen/gen_consts.py makes")
                rc = 1
        else:
            p.parent.mkdir(parents=True, exist_ok=True)
            p.write_text(text)
    return rc


if __name__ == "__main__":
    sys.exit(main())
