// SPDX-License-Identifier: MIT OR Apache-2.0
// Every method over TCP, a unix socket, TLS, and mutual TLS with a token, driven by @grpc/grpc-js with the public .proto.
// Usage: node test_methods.mjs CUZK MAKE_CERTS PARAMS
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Client, certificates, check, finish, grpc, jobs, reflectionOf, serve, setup, sleep, tmpdir, until, verify } from './daemon.mjs';

const [, , cuzk, makeCerts, params] = process.argv;
const dir = tmpdir();
setup(cuzk, params, ['winning', 'window']);
certificates(makeCerts, dir);
const file = (name) => path.join(dir, name);
const pem = (name) => fs.readFileSync(file(name));
fs.writeFileSync(file('token'), 'a-secret-of-some-length\n');
const token = { authorization: 'Bearer a-secret-of-some-length' };
const socket = file('sub/cuzk.sock');

const daemon = await serve(cuzk, dir, params, ['http://127.0.0.1:0', 'https://127.0.0.1:0', `unix://${socket}`],
    `tls_cert = "${file('server.pem')}"\ntls_key = "${file('server.key')}"\n`);
const tcp = new Client(`127.0.0.1:${daemon.ports[0]}`);
const tls = new Client(`localhost:${daemon.ports[1]}`, grpc.credentials.createSsl(pem('ca.pem')));
const unix = new Client(`unix:${socket}`);
const completed = (r) => r.code === 'OK' && r.result.status === 'COMPLETED' && r.result.proof.length === 192;

// ---- all methods, over each transport ----
for (const [name, c] of [['tcp', tcp], ['unix', unix], ['tls', tls]]) {
    const w = { ...jobs.window(), request_id: `${name}-window` };
    let r = await c.prove(w);
    check(`${name}: Prove window`, completed(r) && r.result.job_id === w.request_id, r);
    check(`${name}: the proof is valid`, verify(cuzk, dir, params, 'window', r.result.proof) === 0);
    check(`${name}: its times`, r.result.total_ms > 0 && r.result.gpu_compute_ms > 0);
    r = await c.call('SubmitProof', { ...jobs.winning(), request_id: `${name}-winning` });
    check(`${name}: SubmitProof`, r.code === 'OK' && r.value.job_id === `${name}-winning`, r);
    r = await c.call('AwaitProof', { job_id: `${name}-winning`, timeout_ms: 1 });
    check(`${name}: AwaitProof times out`, r.code === 'OK' && r.value.status === 'TIMEOUT' && r.value.proof.length === 0, r);
    r = await c.call('AwaitProof', { job_id: `${name}-winning` });
    check(`${name}: AwaitProof`, r.code === 'OK' && r.value.status === 'COMPLETED' && r.value.proof.length === 192, r);
    check(`${name}: the winning proof is valid`, verify(cuzk, dir, params, 'winning', r.value.proof) === 0);
    r = await c.call('AwaitProof', { job_id: 'nobody' });
    check(`${name}: AwaitProof of nothing`, r.code === 'NOT_FOUND' && r.details === 'job not found: nobody', r);
    r = await c.call('CancelProof', { job_id: `${name}-winning` });
    check(`${name}: CancelProof of what is over`, r.code === 'OK' && r.value.was_running === false, r);
    r = await c.call('CancelProof', { job_id: 'nobody' });
    check(`${name}: CancelProof of nothing`, r.code === 'NOT_FOUND', r);
    r = await c.call('PreloadSRS', { circuit_id: 'winning-2k' });
    check(`${name}: PreloadSRS`, r.code === 'OK' && r.value.already_loaded === true, r);
    r = await c.call('PreloadSRS', { circuit_id: 'no-such-circuit' });
    check(`${name}: PreloadSRS of nothing`, r.code === 'NOT_FOUND' || r.code === 'INVALID_ARGUMENT', r);
    r = await c.call('GetStatus');
    check(`${name}: GetStatus`, r.code === 'OK' && r.value.queues.map((q) => q.proof_kind).join() ===
        'porep-c2,snap-update,window-post,winning-post' && r.value.total_proofs_completed >= 2 && r.value.gpus.length > 0 &&
        r.value.loaded_srs.some((s) => s.circuit_id === 'winning-2k'), r.value);
    r = await c.call('EvictSRS', { circuit_id: 'winning-2k' });
    check(`${name}: EvictSRS`, r.code === 'OK' && r.value.was_loaded === true && r.value.freed_bytes > 0, r);
    r = await c.call('EvictSRS', { circuit_id: 'winning-2k' });
    check(`${name}: EvictSRS again`, r.code === 'OK' && r.value.was_loaded === false, r);
    r = await c.call('GetMetrics');
    check(`${name}: GetMetrics`, r.code === 'OK' && /^cuzk_proofs_completed\{proof_kind="window_post"\} \d+/m.test(r.value.prometheus_text), r);
    r = await c.call('Check', { service: 'cuzk.v1.ProvingEngine' });
    check(`${name}: health`, r.code === 'OK' && r.value.status === 'SERVING', r);
}

// ---- what Curio and others may send ----
const sent = async (what, change, ok) => {
    const r = await tcp.prove({ ...jobs.window([1]), ...change });
    check(what, ok(r), JSON.stringify(r).slice(0, 300));
    return r;
};
const echoes = (id) => (r) => completed(r) && r.result.job_id === id;
await sent('empty request_id', { request_id: '' }, echoes(''));
await sent('request_id again: the same job', { request_id: '' }, echoes(''));
for (const id of ['ü\u{1F600}x', ' [0 1]\n', 'a'.repeat(256), '../../etc/passwd', '%s%n', '"\\']) {
    await sent(`request_id ${JSON.stringify(id).slice(0, 40)}`, { request_id: id }, echoes(id));
}
for (const id of ['ü\u0000x', '\u0000']) {
    await sent(`request_id with a NUL ${JSON.stringify(id)}`, { request_id: id }, (r) => r.code === 'INVALID_ARGUMENT' && /NUL/.test(r.details));
}
await sent('request_id too long', { request_id: 'a'.repeat(257) }, (r) => r.code === 'INVALID_ARGUMENT' && /257/.test(r.details));
await sent('sector_size 0', { request_id: 's0', sector_size: 0 }, echoes('s0'));
await sent('priority 0', { request_id: 'p0', priority: 0 }, echoes('p0'));
await sent('priority 77', { request_id: 'p77', priority: 77 }, echoes('p77'));
for (const kind of [0, 5, -1, 2147483647]) {
    await sent(`proof_kind ${kind}`, { proof_kind: kind }, (r) => r.code === 'INVALID_ARGUMENT' && r.details === `invalid proof_kind: ${kind}`);
}
await sent('randomness of 31 bytes', { request_id: 'r31', randomness: Buffer.alloc(31) },
    (r) => r.code === 'INVALID_ARGUMENT' && /randomness/.test(r.details));
await sent('another randomness: the job fails, the call does not', { request_id: 'other', randomness: Buffer.alloc(32, 1) },
    (r) => r.code === 'OK' && r.result.status === 'FAILED' && r.result.error_message.startsWith('input: ') && r.result.proof.length === 0);
await sent('a vanilla proof cut short', { request_id: 'cut', vanilla_proofs: [jobs.window([1]).vanilla_proofs[0].subarray(0, 3000)] },
    (r) => r.code === 'OK' && r.result.status === 'FAILED' && r.result.error_message.startsWith('input: '));
let r = await tcp.call('Prove', {});
check('no submit', r.code === 'INVALID_ARGUMENT' && r.details === 'missing submit field', r);
r = await tcp.raw('Prove', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]));
check('malformed', r.code === 'INVALID_ARGUMENT', r);
r = await tcp.raw('SubmitProof', Buffer.from([0x0a, 0x02, 0xc0, 0xaf, 0x10, 0x01]));
check('request_id that is not UTF-8', r.code === 'INVALID_ARGUMENT' && /UTF-8/.test(r.details), r);
r = await tcp.raw('NoSuchMethod', Buffer.alloc(0));
check('unknown method', r.code === 'UNIMPLEMENTED', r);

// ---- 256 MiB and one byte more ----
// ProveRequest{submit{2: kind 1, 10: bytes}}, all lengths in five-byte varints that are not minimal.
const sized = (total) => {
    const varint = (n) => Buffer.from([n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21 & 127 | 128, n >> 28 & 15]);
    const b = Buffer.alloc(total);
    Buffer.concat([Buffer.from([0x0a]), varint(total - 6), Buffer.from([0x10, 0x01, 0x52]), varint(total - 14)]).copy(b);
    return b;
};
for (const [name, c] of [['tcp', tcp], ['unix', unix]]) {
    r = await c.raw('Prove', sized(256 << 20));
    check(`${name}: 256 MiB are taken`, r.code === 'OK' && r.value.includes('input: '), r);
    r = await c.raw('Prove', sized((256 << 20) + 1));
    check(`${name}: one byte more is not`, r.code === 'RESOURCE_EXHAUSTED' && /268435457/.test(r.details), r);
}
check('the connection is good after that', (await tcp.call('GetStatus')).code === 'OK');

// ---- 50 calls at once are counted long before they are all done ----
const before = (await tcp.call('GetStatus')).value.total_proofs_completed;
const calls = [];
const answers = [];
const t0 = performance.now();
for (let i = 0; i < 50; i++) {
    answers.push(tcp.prove({ ...jobs.winning(), request_id: `burst-${i}`, priority: 'LOW' }, {}, (c) => calls.push(c)));
}
const took = performance.now() - t0;
let counted, over, s;
await until(async () => {
    s = (await tcp.call('GetStatus')).value;
    over = s.total_proofs_completed - before;
    counted = s.queues.reduce((n, q) => n + q.pending + q.in_progress, 0) + over;
    return counted === 50 || over > 25;
});
check(`50 calls, made in ${took.toFixed(0)} ms, counted at once`, counted === 50 && over <= 25, { counted, over, queues: s.queues });
// given up by the caller: nothing is left of them
calls.forEach((c) => c.cancel());
const ended = await Promise.all(answers);
check('cancelled or done', ended.every((e) => e.code === 'CANCELLED' || completed(e)), ended.map((e) => e.code).join());
const nothingLeft = () => until(async () => await tcp.pending() === 0);
check('cancelled calls leave the queues', await nothingLeft());

// ---- a deadline ----
r = await tcp.prove({ ...jobs.winning(), request_id: 'deadline' }, { deadline: Date.now() + 30 });
check('deadline', r.code === 'DEADLINE_EXCEEDED', r);
check('a job past its deadline is cancelled', await nothingLeft());

// ---- two callers of one job: the first goes, the second gets it ----
const twin = { ...jobs.winning(), request_id: 'twin' };
let first;
const given = tcp.prove(twin, {}, (c) => { first = c; });
const kept = unix.prove(twin);
await sleep(20);
first.cancel();
check('one of two callers goes', (await given).code === 'CANCELLED' && completed(await kept));

// ---- reflection, health by stream ----
for (const version of ['v1', 'v1alpha']) {
    const stream = new (reflectionOf(version))(tcp.target, tcp.credentials).ServerReflectionInfo();
    const got = [];
    const over = new Promise((done) => { stream.on('end', done); stream.on('error', done); });
    stream.on('data', (d) => got.push(d));
    stream.write({ list_services: '' });
    stream.write({ file_containing_symbol: 'cuzk.v1.ProvingEngine' });
    stream.write({ file_by_filename: 'none.proto' });
    stream.end();
    await over;
    const services = got[0]?.list_services_response?.service.map((x) => x.name) ?? [];
    check(`reflection ${version}`, services.includes('cuzk.v1.ProvingEngine') && services.includes('grpc.health.v1.Health') &&
        got[1]?.file_descriptor_response?.file_descriptor_proto.length === 1 && got[2]?.error_response?.error_code === 5, got);
}
const seen = [];
const watch = tcp.health.Watch({ service: '' });
watch.on('data', (d) => seen.push(d.status));
watch.on('error', () => {});
await until(() => seen.length > 0);

// ---- drain: what is under way is answered, new jobs are not taken ----
const late = tcp.prove({ ...jobs.winning(), request_id: 'drained' });
await until(async () => await tcp.pending() > 0);
const stopped = daemon.stop();
await until(() => /daemon\.drain/.test(daemon.log()));
r = await unix.prove({ ...jobs.winning(), request_id: 'too late' });
check('no new jobs while draining', r.code === 'UNAVAILABLE', r);
check('the job under way is answered', completed(await late));
await until(() => seen.length > 1);
check('health was told', seen[0] === 'SERVING' && seen[1] === 'NOT_SERVING', seen);
check('the daemon ends in peace', await stopped === 0, daemon.log().slice(-2000));
check('the socket is removed', !fs.existsSync(socket));
[tcp, unix, tls].forEach((c) => c.close());

// ---- mutual TLS and a token ----
const guarded = await serve(cuzk, dir, params, ['127.0.0.1:0'],
    `tls_cert = "${file('server.pem')}"\ntls_key = "${file('server.key')}"\ntls_client_ca = "${file('ca.pem')}"\ntoken_file = "${file('token')}"\n[scheduler]\nmax_queued_jobs = 2\n`);
const target = `localhost:${guarded.ports[0]}`;
const shown = grpc.credentials.createSsl(pem('ca.pem'), pem('client.key'), pem('client.pem'));
const nobody = new Client(target, grpc.credentials.createSsl(pem('ca.pem')), token);
check('mTLS without a certificate', (await nobody.call('GetStatus')).code === 'UNAVAILABLE');
const tokenless = new Client(target, shown);
check('mTLS without the token', (await tokenless.call('GetStatus')).code === 'UNAUTHENTICATED');
check('health needs no token', (await tokenless.call('Check')).code === 'OK');
const wrong = new Client(target, shown, { authorization: 'Bearer a-secret-of-some-lengtH' });
check('mTLS with a wrong token', (await wrong.call('GetStatus')).code === 'UNAUTHENTICATED');
const right = new Client(target, shown, token);
check('mTLS with the token', (await right.call('GetStatus')).code === 'OK');
r = await right.prove({ ...jobs.window(), request_id: 'mtls' });
check('Prove over mTLS', completed(r) && verify(cuzk, dir, params, 'window', r.result.proof) === 0, r);
// our own client, the same way
const own = (tokenFile, ...more) => spawnSync(cuzk, ['status', '--json', '--addr', `https://${target}`, '--tls-ca', file('ca.pem'),
    '--tls-cert', file('client.pem'), '--tls-key', file('client.key'), '--token-file', file(tokenFile), ...more], { encoding: 'utf8' });
fs.writeFileSync(file('other-token'), 'another-secret-of-some-length');
r = own('token');
check('cuzk status over mTLS with a token', r.status === 0 && JSON.parse(r.stdout).queues.length === 5, r.stdout);
r = own('other-token');
check('cuzk status with a wrong token', r.status === 2 && /UNAUTHENTICATED/.test(r.stdout), r.stdout);
r = own('token', '--tls-name', 'elsewhere.example');
check("cuzk status: the certificate is somebody else's", r.status === 3 && /mismatch/.test(r.stdout), r.stdout);
const many = await Promise.all([...Array(8).keys()].map((i) => right.call('SubmitProof', { ...jobs.window([1]), request_id: `many-${i}` })));
const taken = many.filter((m) => m.code === 'OK');
check('a full queue is RESOURCE_EXHAUSTED', taken.length >= 2 && taken.length < 8 &&
    many.every((m) => m.code === 'OK' || m.code === 'RESOURCE_EXHAUSTED'), many.map((m) => m.code).join());
const ends = await Promise.all(taken.map(async (m) => {
    const c = await right.call('CancelProof', { job_id: m.value.job_id });
    const a = await right.call('AwaitProof', { job_id: m.value.job_id });
    return c.code === 'OK' && (a.value.status === 'CANCELLED' || a.value.status === 'COMPLETED');
}));
check('cancelled jobs say so', ends.every((e) => e), ends);
[nobody, tokenless, wrong, right].forEach((c) => c.close());
check('the guarded daemon ends in peace', await guarded.stop() === 0);
finish();
