// SPDX-License-Identifier: MIT OR Apache-2.0
// `cuzk serve` for a test: parameters, a configuration, start, stop; and a client that resolves to {code, details, value}.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder test/rpc. */
export const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const vectors = path.join(here, '../vectors/filecoin');

if (!fs.existsSync(path.join(here, 'node_modules/@grpc/grpc-js'))) {
    console.log('skipped: @grpc/grpc-js is not installed (npm ci in test/rpc)');
    process.exit(77);
}
export const grpc = (await import('@grpc/grpc-js')).default;
const loader = (await import('@grpc/proto-loader')).default;
const proto = (file) =>
    grpc.loadPackageDefinition(loader.loadSync(file, {
        includeDirs: [path.join(here, '../../proto')], keepCase: true, longs: Number, enums: String, defaults: true,
    }));
const { ProvingEngine } = proto('cuzk/v1/proving.proto').cuzk.v1;
const { Aggregator } = proto('cuzk/aggregate/v1/aggregate.proto').cuzk.aggregate.v1;
const { Health } = proto('grpc/health/v1/health.proto').grpc.health.v1;
export const reflectionOf = (v) => proto(`grpc/reflection/${v}/reflection.proto`).grpc.reflection[v].ServerReflection;

let passed = 0, failed = 0;
export function check(what, ok, detail = '') {
    if (ok) {
        passed++;
    } else {
        failed++;
        console.log(`FAIL ${what}`, detail);
    }
    return ok;
}
export function finish() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed === 0 ? 0 : 1);
}

export const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export const tmpdir = () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'cuzk-rpc-'));
    process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));
    return dir;
};

// Waits up to three minutes until the condition is true; a condition may be a promise.
export const until = async (condition) => {
    for (const end = Date.now() + 180000; Date.now() < end; await sleep(20)) {
        if (await condition()) {
            return true;
        }
    }
    return false;
};

// Parameters from a known seed, kept in the build folder: insecure, and the same every time.
export function setup(cuzk, folder, kinds) {
    fs.mkdirSync(folder, { recursive: true });
    for (const kind of kinds) {
        const done = path.join(folder, `${kind}.done`);
        if (!fs.existsSync(done)) {
            const p = spawnSync(cuzk, ['params', 'setup', kind, '2KiB', '--insecure-seed', '7', '--force', '-o', folder], { encoding: 'utf8' });
            if (p.status !== 0) {
                throw new Error(`params setup ${kind}: ${p.stderr}`);
            }
            fs.writeFileSync(done, '');
        }
    }
}

// What the daemon takes for aggregates of the vectors: the verifying key alone, and the SRS whose secrets are known.
export function aggregateParams(cuzk, dir) {
    const folder = path.join(dir, 'params');
    const info = spawnSync(cuzk, ['circuit', 'info', 'porep', '2KiB', '--no-transcript'], { encoding: 'utf8' }).stdout;
    fs.mkdirSync(folder);
    fs.copyFileSync(path.join(here, '../vectors/groth16/porep-v1_1.vk'), path.join(folder, `${/^params file *(.*)\.params$/m.exec(info)[1]}.vk`));
    return folder;
}
export const aggregateSrsFile = path.join(here, '../vectors/aggregate/fake-16.srs');
export const aggregateSrs = `aggregate = ${JSON.stringify(aggregateSrsFile)}\naggregate_digest = "460f14cf950898f7471c1934aae30244"`;

// ca.pem, server.pem, server.key, client.pem, client.key in dir.
export function certificates(makeCerts, dir) {
    const p = spawnSync(makeCerts, [], { env: { ...process.env, CUZK_CERTS_DIR: dir }, encoding: 'utf8' });
    if (p.status !== 0) {
        throw new Error(p.stdout + p.stderr);
    }
}

// listen: addresses. Resolves when ready, to {ports, log(), stop()}.
export async function serve(cuzk, dir, params, listen, more = '', srs = '', store = 'memory') {
    const config = path.join(dir, 'cuzk.toml');
    fs.writeFileSync(config, `[daemon]
listen = ${JSON.stringify(listen)}
open_role = "administer"
${more}
[memory]
total_budget = "8GiB"
[gpus]
cpu_only = true
device_timeout = "1h"
[srs]
param_cache = ${JSON.stringify(params)}
${srs}
[store]
path = ${JSON.stringify(store)}
`);
    const child = spawn(cuzk, ['serve', '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    child.stdout.on('data', (d) => { log += d; });
    child.stderr.on('data', (d) => { log += d; });
    let exit = null;
    const gone = new Promise((r) => child.on('exit', (code, signal) => { exit = signal ?? code; r(); }));
    process.on('exit', () => child.kill('SIGKILL'));
    for (let i = 0; i < 3600 && !/daemon\.ready/.test(log); i++) {
        if (exit !== null) {
            throw new Error(`the daemon ended: ${exit}\n${log}`);
        }
        await sleep(50);
    }
    const ports = [...log.matchAll(/listen\.grpc address=\S+ port=(\d+)/g)].map((m) => Number(m[1]));
    return {
        ports,
        log: () => log,
        http: Number(/listen\.http address=\S+ port=(\d+)/.exec(log)?.[1] ?? 0),
        kill: async () => {
            child.kill('SIGKILL');
            await gone;
        },
        // SIGTERM; the exit status.
        stop: async () => {
            child.kill('SIGTERM');
            await Promise.race([gone, sleep(180000)]);
            return exit;
        },
    };
}

const big = { 'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1 };

export class Client {
    constructor(target, credentials = grpc.credentials.createInsecure(), metadata = {}) {
        this.engine = new ProvingEngine(target, credentials, { ...big, 'grpc.use_local_subchannel_pool': 1 });
        this.health = new Health(target, credentials, big);
        this.aggregator = new Aggregator(target, credentials, big);
        this.target = target;
        this.credentials = credentials;
        this.headers = metadata;
    }

    metadata() {
        const m = new grpc.Metadata();
        for (const [k, v] of Object.entries(this.headers)) {
            m.set(k, v);
        }
        return m;
    }

    // A call; with onCall the caller gets the call object, to cancel it.
    call(method, request = {}, options = {}, onCall = () => {}) {
        const stub = method === 'Check' ? this.health : this.engine;
        return new Promise((r) => {
            const c = stub[method](request, this.metadata(), options, (e, value) =>
                r(e ? { code: grpc.status[e.code], details: e.details } : { code: 'OK', details: '', value }));
            onCall(c);
        });
    }

    // A call of cuzk.aggregate.v1.
    aggregate(method, request = {}, options = {}) {
        return new Promise((r) => {
            this.aggregator[method](request, this.metadata(), options, (e, value) =>
                r(e ? { code: grpc.status[e.code], details: e.details } : { code: 'OK', details: '', value }));
        });
    }

    // A request of exact bytes.
    raw(method, bytes) {
        return new Promise((r) => {
            this.engine.makeUnaryRequest(`/cuzk.v1.ProvingEngine/${method}`, (x) => x, (x) => x, bytes, this.metadata(), {},
                (e, value) => r(e ? { code: grpc.status[e.code], details: e.details } : { code: 'OK', value }));
        });
    }

    async prove(submit, options, onCall) {
        const r = await this.call('Prove', { submit }, options, onCall);
        return { ...r, result: r.value?.result };
    }

    async pending() {
        const r = await this.call('GetStatus');
        return r.value.queues.reduce((n, q) => n + q.pending + q.in_progress, 0);
    }

    close() {
        this.engine.close();
        this.health.close();
        this.aggregator.close();
    }
}

const read = (f) => fs.readFileSync(path.join(vectors, f));
const range = (from) => Buffer.from([...Array(31).keys()].map((i) => from + i).concat(0));
export const post = range(0x40); // randomness of the vectors

// What a caller such as Curio sends, from the vectors.
export const jobs = {
    porep: () => ({
        request_id: 'porep-1000-1', proof_kind: 'POREP_SEAL_COMMIT', sector_size: 2048, registered_proof: 5, priority: 'NORMAL',
        sector_number: 1, miner_id: 1000,
        vanilla_proof: Buffer.from(JSON.stringify({
            SectorNum: 1, Phase1Out: read('porep-v1_1.c1.json').toString('base64'), SectorSize: 2048,
        })),
    }),
    winning: () => ({
        request_id: 'winpost-1000-0123456789abcdef', proof_kind: 'WINNING_POST', sector_size: 2048, registered_proof: 0, priority: 'CRITICAL',
        miner_id: 1000, randomness: post, vanilla_proofs: [read('winning.sector1.vanilla.bin')],
    }),
    window: (sectors = [1, 2]) => ({
        request_id: 'wdpost-1000-0-[64 65 66 67 68 69 70 71]', proof_kind: 'WINDOW_POST_PARTITION', sector_size: 2048, registered_proof: 10,
        priority: 'HIGH', miner_id: 1000, randomness: post, partition_index: 0,
        vanilla_proofs: sectors.map((s) => read(`window.sector${s}.vanilla.bin`)),
    }),
    update: () => ({
        request_id: 'snap-1000-1', proof_kind: 'SNAP_DEALS_UPDATE', sector_size: 2048, registered_proof: 0, priority: 'NORMAL',
        sector_number: 1, miner_id: 1000, vanilla_proofs: [read('update.p0.vanilla.bin')],
        comm_r_old: Buffer.from('0890436ba220ef2c9c082683d5445558ac3913a97e078505280092b0a30fad0b', 'hex'),
        comm_r_new: Buffer.from('fad3824540fe9bd09f17867196920dcf8d0f31cd0a9be2a7ecc199112612d628', 'hex'),
        comm_d_new: Buffer.from('dfb01dd4f72e6a4351d502cc8c124ec394374037a2981f126284a4de8f8bc718', 'hex'),
    }),
};

// The verifier as a program of its own: 0 valid, 1 false, 2 malformed.
export function verify(cuzk, dir, params, kind, proof, sectors = [1, 2]) {
    const file = path.join(dir, 'proof.bin');
    const hex = (k) => jobs.update()[k].toString('hex');
    const v = (f) => path.join(vectors, f);
    const args = {
        porep: ['--c1', v('porep-v1_1.c1.json')],
        winning: ['--vanilla', v('winning.sector1.vanilla.bin'), '--type', '0', '--randomness', post.toString('hex')],
        window: [...sectors.flatMap((s) => ['--vanilla', v(`window.sector${s}.vanilla.bin`)]), '--type', '10', '--randomness', post.toString('hex')],
        update: ['--sector-size', '2KiB', '--comm-r-old', hex('comm_r_old'), '--comm-r-new', hex('comm_r_new'), '--comm-d-new', hex('comm_d_new')],
    }[kind];
    fs.writeFileSync(file, proof);
    return spawnSync(cuzk, ['verify', kind, ...args, '--params', params, '--proof', file], { encoding: 'utf8' }).status;
}
