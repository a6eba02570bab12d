// SPDX-License-Identifier: MIT OR Apache-2.0
// cuzk against independent programs, as black boxes: circom2 compiles, snarkjs proves and verifies, @noble/curves verifies.
// Usage: node test_peers.mjs CUZK CIRCUIT...; exit status 77 when the npm packages are not installed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const vectors = path.join(here, '../vectors/circom');
const bin = (name) => path.join(here, 'node_modules/.bin', name);
const [, , cuzk, ...circuits] = process.argv;

for (const name of ['snarkjs', 'circom2']) {
    if (!fs.existsSync(bin(name))) {
        console.log(`skipped: ${name} is not installed (npm ci in test/interop)`);
        process.exit(77);
    }
}
const snarkjs = await import('snarkjs');
const { bls12_381: bls } = await import('@noble/curves/bls12-381.js');

const inputs = {
    multiplier2: { a: '3', b: '11' },
    nopublic: { a: '5', b: '7' },
    mixed: { x: '12', y: '12', secret: '40000', unused: '9' },
    chain10: { x: '3' },
    chain14: { x: '3' },
};
const r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
let passed = 0, failed = 0;

function check(what, ok, detail = '') {
    if (ok) {
        passed++;
    } else {
        failed++;
        console.log(`FAIL ${what} ${detail}`);
    }
}

function run(cwd, file, ...args) {
    const p = spawnSync(file, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
    return { status: p.status, out: `${p.stdout}${p.stderr}` };
}

function must(cwd, file, ...args) {
    const p = run(cwd, file, ...args);
    if (p.status !== 0) {
        throw new Error(`${path.basename(file)} ${args.join(' ')}: status ${p.status}\n${p.out}`);
    }
    return p.out;
}

const read = (f) => JSON.parse(fs.readFileSync(f, 'utf8'));
const write = (f, o) => fs.writeFileSync(f, JSON.stringify(o));

// Accepts, or refuses in whatever way it refuses.
const snarkjsVerify = (dir, vk, pub, proof) =>
    /OK!/.test(run(dir, bin('snarkjs'), 'groth16', 'verify', vk, pub, proof).out);
// What that program calls, here in this process: a start of the program takes a second.
const snarkjsAccepts = async (vk, pub, proof) => {
    try {
        return await snarkjs.groth16.verify(vk, pub, proof);
    } catch {
        return false;
    }
};
const cuzkVerify = (dir, vk, pub, proof) => run(dir, cuzk, 'groth16', 'verify', vk, pub, proof).status;

const { G1, G2 } = bls;
const { Fp2, Fp12 } = bls.fields;
const g1 = (p) => {
    const q = G1.Point.fromAffine({ x: BigInt(p[0]), y: BigInt(p[1]) });
    q.assertValidity();
    return q;
};
const g2 = (p) => {
    const q = G2.Point.fromAffine({
        x: Fp2.fromBigTuple([BigInt(p[0][0]), BigInt(p[0][1])]),
        y: Fp2.fromBigTuple([BigInt(p[1][0]), BigInt(p[1][1])]),
    });
    q.assertValidity();
    return q;
};
// e(-A, B) e(alpha, beta) e(IC, gamma) e(C, delta) = 1
function nobleVerify(vk, pub, proof) {
    if (pub.length !== vk.IC.length - 1) return false;
    let acc = g1(vk.IC[0]);
    pub.forEach((v, i) => {
        if (BigInt(v) !== 0n) acc = acc.add(g1(vk.IC[i + 1]).multiply(BigInt(v)));
    });
    const terms = [
        { g1: proof.a.negate(), g2: proof.b },
        { g1: g1(vk.vk_alpha_1), g2: g2(vk.vk_beta_2) },
        { g1: acc, g2: g2(vk.vk_gamma_2) },
        { g1: proof.c, g2: g2(vk.vk_delta_2) },
    ].filter((t) => !t.g1.is0());
    return Fp12.eql(bls.pairingBatch(terms), Fp12.ONE);
}
const fromJson = (p) => ({ a: g1(p.pi_a), b: g2(p.pi_b), c: g1(p.pi_c) });
const fromBytes = (b) => ({
    a: G1.Point.fromBytes(b.subarray(0, 48)),
    b: G2.Point.fromBytes(b.subarray(48, 144)),
    c: G1.Point.fromBytes(b.subarray(144, 192)),
});
const toBytes = (p) => Buffer.concat([p.a.toBytes(true), p.b.toBytes(true), p.c.toBytes(true)]);

// circom2's sandbox sees the current folder only.
function compile(dir, name) {
    fs.copyFileSync(path.join(vectors, `${name}.circom`), path.join(dir, `${name}.circom`));
    const extra = name === 'mixed' ? ['--O0'] : [];
    must(dir, bin('circom2'), `${name}.circom`, '--r1cs', '--wasm', '--prime', 'bls12381', ...extra);
    write(path.join(dir, 'in.json'), inputs[name]);
    must(dir, 'node', `${name}_js/generate_witness.js`, `${name}_js/${name}.wasm`, 'in.json', `${name}.wtns`);
}

function sameAsFixture(dir, name) {
    for (const ext of ['r1cs', 'wtns']) {
        const f = path.join(vectors, `${name}.${ext}`);
        if (fs.existsSync(f)) {
            check(`${name}.${ext} is the committed one`,
                fs.readFileSync(f).equals(fs.readFileSync(path.join(dir, `${name}.${ext}`))));
        }
    }
}

async function tamper(dir, name, vk) {
    const pub = read(path.join(dir, 'pub.json')), proof = read(path.join(dir, 'proof.json'));
    const key = read(path.join(dir, vk));
    check(`${name}: snarkjs accepts the proof itself`, await snarkjsAccepts(key, pub, proof));
    const refused = async (what, p, q, status) => {
        write(path.join(dir, 'tp.json'), p);
        write(path.join(dir, 'tq.json'), q);
        check(`${name}: snarkjs refuses ${what}`, !await snarkjsAccepts(key, p, q));
        const got = cuzkVerify(dir, vk, 'tp.json', 'tq.json');
        check(`${name}: cuzk refuses ${what}`, got === status, `exit status ${got}, expected ${status}`);
    };
    await refused('A and C exchanged', pub, { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a }, 1);
    const a = g1(proof.pi_a).negate().toAffine();
    await refused('-A', pub, { ...proof, pi_a: [`${a.x}`, `${a.y}`, '1'] }, 1);
    await refused('A off the curve', pub, { ...proof, pi_a: [proof.pi_a[0], proof.pi_a[0], '1'] }, 2);
    if (pub.length > 0) {
        await refused('another public input', [`${(BigInt(pub[0]) + 1n) % r}`, ...pub.slice(1)], proof, 1);
        await refused('public input + r', [`${BigInt(pub[0]) + r}`, ...pub.slice(1)], proof, 2);
        await refused('a public input too few', pub.slice(1), proof, 2);
    }
    await refused('a public input too many', [...pub, '1'], proof, 2);
}

async function testCircuit(root, name) {
    const dir = path.join(root, name);
    fs.mkdirSync(dir);
    compile(dir, name);
    sameAsFixture(dir, name);
    must(dir, cuzk, 'groth16', 'setup', `${name}.r1cs`, 'key.zkey', '--vk', 'vk.json');
    must(dir, cuzk, 'groth16', 'prove', 'key.zkey', `${name}.wtns`, 'proof.json', 'pub.json');
    const vk = read(path.join(dir, 'vk.json')), pub = read(path.join(dir, 'pub.json'));
    const proof = fromJson(read(path.join(dir, 'proof.json')));
    check(`${name}: snarkjs verifies ours`, snarkjsVerify(dir, 'vk.json', 'pub.json', 'proof.json'));
    check(`${name}: noble verifies ours`, nobleVerify(vk, pub, proof));

    // snarkjs proves with the key that we wrote, and exports the verifying key that we exported.
    const t0 = Date.now();
    must(dir, bin('snarkjs'), 'groth16', 'prove', 'key.zkey', `${name}.wtns`, 'sproof.json', 'spub.json');
    console.log(`${name}: snarkjs proves in ${Date.now() - t0} ms`);
    const sproof = fromJson(read(path.join(dir, 'sproof.json')));
    check(`${name}: same public inputs`, JSON.stringify(read(path.join(dir, 'spub.json'))) === JSON.stringify(pub));
    check(`${name}: we verify snarkjs's`, cuzkVerify(dir, 'vk.json', 'spub.json', 'sproof.json') === 0);
    check(`${name}: noble verifies snarkjs's`, nobleVerify(vk, pub, sproof));
    must(dir, bin('snarkjs'), 'zkey', 'export', 'verificationkey', 'key.zkey', 'svk.json');
    const svk = read(path.join(dir, 'svk.json'));
    check(`${name}: same verifying key`, Object.keys(vk).every((k) => JSON.stringify(vk[k]) === JSON.stringify(svk[k])));
    check(`${name}: we verify under snarkjs's export`, cuzkVerify(dir, 'svk.json', 'spub.json', 'sproof.json') === 0);

    // 192 bytes, both ways.
    must(dir, cuzk, 'groth16', 'prove', 'key.zkey', `${name}.wtns`, 'proof.bin', 'pub2.json', '--binary');
    const bytes = fs.readFileSync(path.join(dir, 'proof.bin'));
    check(`${name}: noble verifies our bytes`, bytes.length === 192 && nobleVerify(vk, pub, fromBytes(bytes)));
    check(`${name}: noble encodes the same bytes`, toBytes(fromBytes(bytes)).equals(bytes));
    fs.writeFileSync(path.join(dir, 'sproof.bin'), toBytes(sproof));
    check(`${name}: we verify noble's bytes`, cuzkVerify(dir, 'vk.json', 'pub.json', 'sproof.bin') === 0);
    check(`${name}: noble refuses another proof's A`, !nobleVerify(vk, pub, { ...proof, a: sproof.a }));
    await tamper(dir, name, 'vk.json');
}

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cuzk-peers-'));
try {
    for (const name of circuits) {
        await testCircuit(root, name);
    }
} catch (e) {
    failed++;
    console.log(`FAIL ${e.message}`);
} finally {
    fs.rmSync(root, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
