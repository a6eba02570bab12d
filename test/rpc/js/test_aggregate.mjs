// SPDX-License-Identifier: MIT OR Apache-2.0
// cuzk.aggregate.v1 from grpc-js: the original's bytes, refusals, cancel, status, and a kill -9 that loses nothing.
// Usage: node test_aggregate.mjs CUZK
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Client, aggregateParams, aggregateSrs, aggregateSrsFile, check, finish, here, reflectionOf, serve, sleep, tmpdir, vectors as filecoin } from './daemon.mjs';

const [, , cuzk] = process.argv;
const dir = tmpdir(), params = aggregateParams(cuzk, dir);
const vectors = path.join(here, '../vectors/aggregate');
const sets = Object.fromEntries(JSON.parse(fs.readFileSync(path.join(vectors, 'vectors.json'), 'utf8')).sets.map((s) => [s.name, s]));
const c1 = (name) => JSON.parse(fs.readFileSync(path.join(filecoin, `${name}.c1.json`), 'utf8'));
const bytes = (hex) => Buffer.from(hex, 'hex');
const expected = (file) => fs.readFileSync(path.join(vectors, file));

// A sector of the vectors, which all are of miner 1000, with the bytes that a caller such as Curio has.
const sector = (c, proofs, number = 1) => ({
    miner_id: 1000, sector_number: number, comm_r: Buffer.from(c.comm_r), comm_d: Buffer.from(c.comm_d),
    ticket: Buffer.from(c.ticket), seed: Buffer.from(c.seed), proof: Buffer.concat(proofs.map(bytes)),
});
const NI = 15, V1_1 = 5; // of 2 KiB sectors
const ni = { request_id: 'ni-1000-1', registered_proof: NI, sectors: [sector(c1('porep-ni'), sets['ni-13'].proofs)] };
const two = {
    request_id: 'two', registered_proof: V1_1, any_count: true, priority: 'HIGH',
    sectors: sets['porep-2'].proofs.map((p) => sector(c1('porep-v1_1'), [p])),
};

const start = (more = aggregateSrs) => serve(cuzk, dir, params, ['http://127.0.0.1:0'], 'http_listen = "127.0.0.1:0"\n', more, path.join(dir, 'jobs.db'));
let daemon = await start();
let c = new Client(`127.0.0.1:${daemon.ports[0]}`);
const text = (r) => JSON.stringify(r).slice(0, 300);
const completed = (what, r, file) =>
    check(what, r.code === 'OK' && r.value.result?.status === 'COMPLETED' && r.value.result.aggregate.equals(expected(file)), text(r));

// ---- made, as the original makes them ----
let r = await c.aggregate('Aggregate', { submit: ni });
completed('non-interactive sector', r, 'ni-13-v2.agg');
check('job_id is the request_id', r.value?.result?.job_id === 'ni-1000-1', text(r));
completed('without a seed', await c.aggregate('Aggregate',
    { submit: { ...ni, request_id: 'no seed', sectors: [{ ...ni.sectors[0], seed: Buffer.alloc(0) }] } }), 'ni-13-v2.agg');
r = await c.aggregate('SubmitAggregate', two);
check('submitted', r.code === 'OK' && r.value.job_id === 'two', text(r));
r = await c.aggregate('AwaitAggregate', { job_id: 'two' });
check('awaited', r.code === 'OK' && r.value.status === 'COMPLETED' && r.value.aggregate.equals(expected('porep-2-v2.agg')), text(r));
r = await c.call('AwaitProof', { job_id: 'two' });
check('and by cuzk.v1', r.code === 'OK' && r.value.status === 'COMPLETED' && r.value.proof.equals(expected('porep-2-v2.agg')), text(r));

// ---- refused, with the reason ----
const refused = async (what, change, code, words) => {
    const q = await c.aggregate('SubmitAggregate', { ...two, request_id: what, ...change });
    check(what, q.code === code && words.test(q.details), text(q));
};
const changed = (field, value) => ({ sectors: [two.sectors[0], { ...two.sectors[1], [field]: value }] });
await refused('numbers that the chain does not take', { any_count: false }, 'INVALID_ARGUMENT', /2 sectors: the chain takes aggregates of 4 to 819/);
await refused('no sectors', { sectors: [] }, 'INVALID_ARGUMENT', /sectors is empty/);
await refused('version 1', { aggregation: 1 }, 'INVALID_ARGUMENT', /aggregation 1: only SnarkPack version 2/);
await refused('an unknown type', { registered_proof: 77 }, 'INVALID_ARGUMENT', /77/);
await refused('a short comm_r', changed('comm_r', Buffer.alloc(31)), 'INVALID_ARGUMENT', /sectors\[1\]\.comm_r has 31 bytes/);
await refused('no seed', changed('seed', Buffer.alloc(0)), 'INVALID_ARGUMENT', /sectors\[1\]: seed is missing/);
await refused('a short proof', changed('proof', Buffer.alloc(191)), 'INVALID_ARGUMENT', /sectors\[1\]: proof has 191 bytes/);
await refused('an empty proof', changed('proof', Buffer.alloc(0)), 'INVALID_ARGUMENT', /sectors\[1\]\.proof is empty/);
r = await c.aggregate('Aggregate', { submit: { ...two, request_id: 'other', ...changed('sector_number', 2) } });
check('a proof of another sector is named', r.code === 'OK' && r.value.result.status === 'FAILED' &&
    /^input: .*proof 1 of 2 does not verify/.test(r.value.result.error_message), text(r));
r = await c.aggregate('AwaitAggregate', { job_id: 'nobody' });
check('no such job', r.code === 'NOT_FOUND', text(r));
r = await c.aggregate('CancelAggregate', { job_id: 'two' });
check('cancel after the end', r.code === 'OK' && r.value.was_running === false, text(r));

// ---- verified, with the answers of `cuzk verify aggregate` ----
const claim = ({ proof, ...s }) => s; // a caller need not have the proofs
const asked = (agg, more = {}) => c.aggregate('VerifyAggregate', { registered_proof: NI, sectors: ni.sectors.map(claim), aggregate: agg, ...more });
const said = async (what, agg, more, result, words) => {
    r = await asked(agg, more);
    check(what, r.code === 'OK' && r.value.result === result && words.test(r.value.reason), text(r));
};
const good = expected('ni-13-v2.agg'), longer = Buffer.concat([good, Buffer.alloc(3)]);
const at = (i) => Buffer.concat([good.subarray(0, i), Buffer.from([good[i] ^ 1]), good.subarray(i + 1)]);
await said('valid', good, {}, 'VALID', /^$/);
check('of 13 proofs', r.value.proofs === 13, text(r));
await said('with the proofs in the list, two sectors', expected('porep-2-v2.agg'), { registered_proof: V1_1, sectors: two.sectors }, 'VALID', /^$/);
await said('bytes after it', longer, {}, 'MALFORMED', /expected 14164/);
await said('bytes after it, allowed', longer, { allow_trailing: true }, 'VALID', /^$/);
await said('cut off', good.subarray(0, -1), {}, 'MALFORMED', /14163 bytes, expected 14164/);
await said('another sector', good, { sectors: [{ ...claim(ni.sectors[0]), sector_number: 2 }] }, 'FALSE', /does not verify/);
await said('two sectors', good, { sectors: [claim(ni.sectors[0]), claim(ni.sectors[0])] }, 'MALFORMED', /26 statements do not fit an aggregate of 16 proofs/);
await said('version 1', expected('porep-2-v1.agg'), { registered_proof: V1_1, sectors: two.sectors.map(claim) }, 'FALSE', /does not verify/);
for (const i of [0, 700, 1488, 5000, 13000, 14163]) {
    r = await asked(at(i));
    check(`byte ${i} changed`, r.code === 'OK' && ['FALSE', 'MALFORMED'].includes(r.value.result) && r.value.reason !== '', text(r));
}
const wrong = async (what, agg, more, words) => {
    r = await asked(agg, more);
    check(what, r.code === 'INVALID_ARGUMENT' && words.test(r.details), text(r));
};
await wrong('no aggregate', Buffer.alloc(0), {}, /aggregate is empty/);
await wrong('no sectors to verify', good, { sectors: [] }, /sectors is empty/);
await wrong('version 1 asked for', good, { aggregation: 1 }, /aggregation 1: only SnarkPack version 2 is verified/);
await wrong('a short comm_d', good, { sectors: [{ ...claim(ni.sectors[0]), comm_d: Buffer.alloc(3) }] }, /sectors\[0\]\.comm_d has 3 bytes/);
await wrong('comm_r beyond the field', good, { sectors: [{ ...claim(ni.sectors[0]), comm_r: Buffer.alloc(32, 255) }] }, /sector 0 of 1/);
await wrong('no seed to verify', good, { registered_proof: V1_1, sectors: [{ ...claim(ni.sectors[0]), seed: Buffer.alloc(0) }] }, /sectors\[0\]: seed is missing/);

// ---- status, page, metrics, health, reflection know the kind; cuzk.v1 stays as it is ----
r = await c.aggregate('GetStatus');
check('counted', r.code === 'OK' && r.value.completed === 3 && r.value.failed === 1 && r.value.pending === 0, text(r));
r = await c.call('GetStatus');
check('cuzk.v1 has four queues', r.value.queues.length === 4 && r.value.total_proofs_completed === 0, text(r));
const get = async (p) => (await fetch(`http://127.0.0.1:${daemon.http}${p}`)).text();
const metrics = await get('/metrics'), status = JSON.parse(await get('/status'));
check('verifications counted', /cuzk_aggregates_verified_total\{result="valid"\} 3/.test(metrics) && status.counters.aggregates_verified.valid === 3 &&
    status.counters.aggregates_verified.malformed >= 3, status.counters);
check('metrics', /cuzk_proofs_completed\{proof_kind="aggregate"\} 3/.test(metrics) &&
    /stage="aggregate",proof_kind="aggregate"/.test(metrics), metrics.match(/.*aggregate.*/g));
check('status', status.queues.some((q) => q.proof_kind === 'aggregate') && status.stages.some((s) => s.name === 'aggregate') &&
    status.pipelines.some((j) => j.proof_kind === 'aggregate' && j.times.aggregate_secs > 0), Object.keys(status));
check('page', /aggregate: "Aggregate"/.test(await get('/')));
check('trace', /"aggregate_prove"/.test(await get('/trace')));
r = await c.call('Check', { service: 'cuzk.aggregate.v1.Aggregator' });
check('health', r.code === 'OK' && r.value.status === 'SERVING', text(r));
const stream = new (reflectionOf('v1'))(c.target, c.credentials).ServerReflectionInfo();
const got = [];
const over = new Promise((done) => stream.on('end', done));
stream.on('data', (d) => got.push(d));
stream.write({ list_services: '' });
stream.write({ file_containing_symbol: 'cuzk.aggregate.v1.Aggregator.SubmitAggregate' });
stream.end();
await over;
check('reflection', got[0].list_services_response.service.some((s) => s.name === 'cuzk.aggregate.v1.Aggregator') &&
    got[1].file_descriptor_response?.file_descriptor_proto.length === 1);

// ---- the program as a client ----
const list = path.join(dir, 'sectors.json'), out = path.join(dir, 'out.agg');
const hex = (b) => b.toString('hex');
fs.writeFileSync(list, JSON.stringify({
    registered_proof: NI, miner: 1000,
    sectors: ni.sectors.map((s) => ({
        sector: s.sector_number, comm_r: hex(s.comm_r), comm_d: hex(s.comm_d), ticket: hex(s.ticket), proof: hex(s.proof),
    })),
}));
const address = ['-a', `http://127.0.0.1:${daemon.ports[0]}`];
let p = spawnSync(cuzk, ['submit', '--kind', 'aggregate', '--sectors', list, '--wait', '-o', out, ...address], { encoding: 'utf8' });
check('cuzk submit', p.status === 0 && fs.readFileSync(out).equals(expected('ni-13-v2.agg')), p.stdout + p.stderr);
p = spawnSync(cuzk, ['verify', 'aggregate', '--sectors', list, '--aggregate', out, '--params', params, '--srs', aggregateSrsFile,
    '--srs-digest', '460f14cf950898f7471c1934aae30244'], { encoding: 'utf8' });
check('cuzk verify aggregate', p.status === 0, p.stdout + p.stderr);
p = spawnSync(cuzk, ['status', ...address], { encoding: 'utf8' });
check('cuzk status', p.status === 0 && /aggregates_completed +4|aggregates completed +4/.test(p.stdout) && /aggregate: 0 pending, 0 in progress/.test(p.stdout), p.stdout + p.stderr);
p = spawnSync(cuzk, ['submit', '--kind', 'aggregate', ...address], { encoding: 'utf8' });
check('cuzk submit without a list', p.status === 2 && /--sectors/.test(p.stderr), p.stderr);

// ---- kill -9 between acceptance and end: every job is there after the restart, with the same bytes ----
const many = [];
for (let i = 0; i < 12; i++) {
    const job = i % 2 === 0 ? { ...ni, request_id: `kill-${i}` } : { ...two, request_id: `kill-${i}`, priority: 'LOW' };
    many.push(c.aggregate('SubmitAggregate', job));
}
const ids = (await Promise.all(many)).map((q) => q.value?.job_id);
check('twelve accepted', ids.every((id, i) => id === `kill-${i}`), ids);
const cancelled = await c.aggregate('CancelAggregate', { job_id: 'kill-11' });
await daemon.kill();
c.close();
daemon = await start();
c = new Client(`127.0.0.1:${daemon.ports[0]}`);
for (const [i, id] of ids.entries()) {
    r = await c.aggregate('AwaitAggregate', { job_id: id });
    const good = r.code === 'OK' && r.value.status === 'COMPLETED' && r.value.aggregate.equals(expected(i % 2 === 0 ? 'ni-13-v2.agg' : 'porep-2-v2.agg'));
    const wasCancelled = i === 11 && cancelled.code === 'OK' && r.value?.status === 'CANCELLED';
    check(`after kill -9: ${id}`, good || wasCancelled, text(r));
}
r = await c.aggregate('AwaitAggregate', { job_id: 'two' });
check('the result from before', r.code === 'OK' && r.value.aggregate.equals(expected('porep-2-v2.agg')), text(r));
c.close();
check('the daemon ends in peace', await daemon.stop() === 0, daemon.log().slice(-2000));

// ---- an SRS that is not the network's is not taken without its digest; the daemon is to blame, not the request ----
daemon = await start(`aggregate = ${JSON.stringify(aggregateSrsFile)}`);
c = new Client(`127.0.0.1:${daemon.ports[0]}`);
r = await c.aggregate('Aggregate', { submit: { ...ni, request_id: 'test SRS' } });
check('a test SRS', r.code === 'OK' && r.value.result.status === 'FAILED' && /^environment: SRS for aggregation: .*test SRS/.test(r.value.result.error_message), text(r));
r = await c.aggregate('VerifyAggregate', { registered_proof: NI, sectors: ni.sectors, aggregate: expected('ni-13-v2.agg') });
check('nothing is verified under a test SRS', r.code === 'UNAVAILABLE' && /^environment: SRS for aggregation: .*test SRS/.test(r.details), text(r));
c.close();
check('the daemon ends in peace again', await daemon.stop() === 0);
await sleep(0);
finish();
