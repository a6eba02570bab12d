// SPDX-License-Identifier: MIT OR Apache-2.0
// Sectors from C1 to a verified aggregate, all of it by the daemon: proved, aggregated and verified over gRPC, from grpc-js
// and from grpc-go, with a kill -9 while proofs are made and another one while the aggregate is. Takes minutes of CPU time.
// Usage: node test_aggregate_real.mjs CUZK PARAMS [SECTORS]
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { goClient } from './go_client.mjs';
import { Client, check, finish, serve, setup, tmpdir } from './daemon.mjs';

const [, , cuzk, params, sectors_wanted = '2'] = process.argv;
const V1_1 = 5, N = Number(sectors_wanted), any_count = N < 4; // the chain takes four and more
const dir = tmpdir(), srs = path.join(dir, 'test.srs'), text = (r) => JSON.stringify(r).slice(0, 400);
const run = (...args) => {
    const p = spawnSync(cuzk, args, { encoding: 'utf8' });
    if (p.status !== 0) {
        throw new Error(`${args.join(' ')}: ${p.stdout}${p.stderr}`);
    }
    return p.stdout;
};
setup(cuzk, params, ['porep']);
run('params', 'setup', 'aggregate', '--insecure-seed', '7', '--proofs', String(N), '-o', srs);
const digest = /[0-9a-f]{32}/.exec(run('params', 'check', srs))[0];
const c1 = [...Array(N).keys()].map((i) => {
    const file = path.join(dir, `c1-${i}.json`);
    run('gen', 'porep', '--sector-size', '2KiB', '--seed', String(10 + i), '-o', file);
    return fs.readFileSync(file);
});
const job = (i) => ({
    request_id: `porep-${i}`, proof_kind: 'POREP_SEAL_COMMIT', sector_size: 2048, registered_proof: V1_1, sector_number: 1, miner_id: 1000,
    vanilla_proof: Buffer.from(JSON.stringify({ SectorNum: 1, Phase1Out: c1[i].toString('base64'), SectorSize: 2048 })),
});
const start = () => serve(cuzk, dir, params, ['http://127.0.0.1:0'], '',
    `aggregate = ${JSON.stringify(srs)}\naggregate_digest = "${digest}"`, path.join(dir, 'jobs.db'));
let daemon = await start(), c = new Client(`127.0.0.1:${daemon.ports[0]}`);
const killed = async () => {
    await daemon.kill();
    c.close();
    daemon = await start();
    c = new Client(`127.0.0.1:${daemon.ports[0]}`);
};

// ---- proofs, cut off after the first ----
for (let i = 0; i < N; i++) {
    const r = await c.call('SubmitProof', job(i));
    check(`proof ${i} accepted`, r.code === 'OK' && r.value.job_id === `porep-${i}`, text(r));
}
let r = await c.call('AwaitProof', { job_id: 'porep-0' });
check('the first proof', r.code === 'OK' && r.value.status === 'COMPLETED', text(r));
await killed();
const sectors = [];
for (let i = 0; i < N; i++) {
    r = await c.call('AwaitProof', { job_id: `porep-${i}` });
    if (!check(`proof ${i} after kill -9`, r.code === 'OK' && r.value.status === 'COMPLETED' && r.value.proof.length === 192, text(r))) {
        finish();
    }
    const s = JSON.parse(c1[i]);
    sectors.push({
        miner_id: 1000, sector_number: 1, comm_r: Buffer.from(s.comm_r), comm_d: Buffer.from(s.comm_d), ticket: Buffer.from(s.ticket),
        seed: Buffer.from(s.seed), proof: r.value.proof,
    });
}

// ---- their aggregate, cut off once it is accepted ----
r = await c.aggregate('SubmitAggregate', { request_id: 'whole', registered_proof: V1_1, any_count, sectors });
check('aggregate accepted', r.code === 'OK' && r.value.job_id === 'whole', text(r));
await killed();
r = await c.aggregate('AwaitAggregate', { job_id: 'whole' });
check('aggregate after kill -9', r.code === 'OK' && r.value.status === 'COMPLETED' && r.value.aggregate.length === 2260 + 2976 * Math.max(1, Math.ceil(Math.log2(N))), text(r));
const made = r.value.aggregate;
const verify = (list, aggregate = made) => c.aggregate('VerifyAggregate', { registered_proof: V1_1, sectors: list, aggregate });
r = await verify(sectors);
check('verified', r.code === 'OK' && r.value.result === 'VALID' && r.value.proofs === N, text(r));
r = await verify([sectors[1], sectors[0], ...sectors.slice(2)]);
check('in another order it is false', r.code === 'OK' && r.value.result === 'FALSE', text(r));
r = await verify([...sectors.slice(1), sectors[1]]);
check('one of them twice is not proved', r.code === 'OK' && r.value.result === 'FALSE', text(r));
const swapped = [sectors[1].proof, sectors[0].proof, ...sectors.slice(2).map((s) => s.proof)];
r = await c.aggregate('Aggregate', { submit: { request_id: 'swapped', registered_proof: V1_1, any_count, sectors: sectors.map((s, i) => ({ ...s, proof: swapped[i] })) } });
check('a proof of another sector is named', r.code === 'OK' && r.value.result.status === 'FAILED' &&
    r.value.result.error_message.includes(`proof 0 of ${N} does not verify`) && r.value.result.error_message.startsWith('input: '), text(r));

// ---- the program and grpc-go agree ----
const list = path.join(dir, 'sectors.json'), agg = path.join(dir, 'made.agg');
const hex = (b) => b.toString('hex');
fs.writeFileSync(agg, made);
fs.writeFileSync(list, JSON.stringify({
    registered_proof: V1_1, miner: 1000, sectors: sectors.map((s) => ({
        sector: s.sector_number, comm_r: hex(s.comm_r), comm_d: hex(s.comm_d), ticket: hex(s.ticket), seed: hex(s.seed), proof: hex(s.proof),
    })),
}));
check('cuzk verify aggregate', /valid/.test(run('verify', 'aggregate', '--sectors', list, '--aggregate', agg, '--params', params, '--srs', srs, '--srs-digest', digest)));
run('aggregate', '--any-count', '--sectors', list, '--params', params, '--srs', srs, '--srs-digest', digest, '-o', `${agg}2`);
check('cuzk aggregate makes the same bytes', fs.readFileSync(`${agg}2`).equals(made));
const client = goClient(dir);
if (client === null) {
    console.log('without grpc-go: golang-go, golang-google-grpc-dev or golang-goprotobuf-dev is not installed');
} else {
    const p = spawnSync(client, [`127.0.0.1:${daemon.ports[0]}`, '-list', list, agg], { encoding: 'utf8' });
    check('grpc-go', p.status === 0, p.stdout + p.stderr);
}
c.close();
check('the daemon ends in peace', await daemon.stop() === 0, daemon.log().slice(-2000));
finish();
