// SPDX-License-Identifier: MIT OR Apache-2.0
// test/vectors/gt.txt, which the C tests check, against the pairing and the fields of @noble/curves.
// Usage: node test_gt.mjs; exit status 77 when the npm package is not installed.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
let bls;
try {
    ({ bls12_381: bls } = await import('@noble/curves/bls12-381.js'));
} catch {
    console.log('skipped: @noble/curves is not installed (npm ci in test/interop)');
    process.exit(77);
}
const { Fp6, Fp12 } = bls.fields;
const G1 = bls.G1.Point ?? bls.G1.ProjectivePoint, G2 = bls.G2.Point ?? bls.G2.ProjectivePoint;
const r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

const le48 = (x) => x.toString(16).padStart(96, '0').match(/../g).reverse().join('');
const hex6 = (a) => [a.c0, a.c1, a.c2].map((c) => le48(c.c0) + le48(c.c1)).join('');
const transcript = (f) => hex6(f.c0) + hex6(f.c1);
// The torus form, by the definition.
const compressed = (f) => hex6(Fp6.div(Fp6.add(f.c0, Fp6.ONE), f.c1));
const at = (point, k) => (k === 0n ? point.ZERO : point.BASE.multiply(k));

const e = bls.pairing(G1.BASE, G2.BASE);
let passed = 0, failed = 0;
const check = (what, ok) => {
    if (ok) passed++;
    else {
        failed++;
        console.log(`FAIL ${what}`);
    }
};
for (const line of fs.readFileSync(path.join(here, '../vectors/gt.txt'), 'utf8').split('\n')) {
    const w = line.split(' ');
    if (w[0] === 'power') {
        const f = Fp12.pow(e, BigInt(`0x${w[1]}`));
        check(`e(g, h)^${w[1]}: compressed`, compressed(f) === w[2]);
        check(`e(g, h)^${w[1]}`, transcript(f) === w[3]);
    } else if (w[0] === 'product') {
        const k = w.slice(2, -1).map((x) => BigInt(`0x${x}`) % r);
        let f = Fp12.ONE;
        for (let i = 0; i < k.length; i += 2) {
            f = Fp12.mul(f, bls.pairing(at(G1, k[i]), at(G2, k[i + 1])));
        }
        check(`product of ${w[1]}`, transcript(f) === w.at(-1));
    }
}
if (passed + failed !== 2 * 16 + 3) {
    check(`${passed + failed} checks, expected 35`, false);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
