// SPDX-License-Identifier: MIT OR Apache-2.0
// The four kinds of proof, as Curio sends them: COMPLETED, of the right length, valid, and valid for nothing else.
// Usage: node test_kinds.mjs CUZK MAKE_CERTS PARAMS
import fs from 'node:fs';
import path from 'node:path';
import { Client, certificates, check, finish, grpc, jobs, serve, setup, tmpdir, verify } from './daemon.mjs';

const [, , cuzk, makeCerts, params] = process.argv;
const dir = tmpdir();
certificates(makeCerts, dir);
const kinds = ['porep', 'winning', 'window', 'update'];
setup(cuzk, params, kinds);
const daemon = await serve(cuzk, dir, params, ['http://127.0.0.1:0', 'https://127.0.0.1:0', `unix://${dir}/s`],
    `tls_cert = "${dir}/server.pem"\ntls_key = "${dir}/server.key"\n`);
const c = new Client(`127.0.0.1:${daemon.ports[0]}`);
const tls = new Client(`localhost:${daemon.ports[1]}`, grpc.credentials.createSsl(fs.readFileSync(path.join(dir, 'ca.pem'))));
const unix = new Client(`unix:${dir}/s`);
await Promise.all(kinds.map(async (kind) => {
    const request = jobs[kind]();
    const r = await c.prove(request);
    const ok = check(`${kind}: COMPLETED`, r.code === 'OK' && r.result.status === 'COMPLETED' && r.result.job_id === request.request_id,
        JSON.stringify(r).slice(0, 400));
    if (ok) {
        const proof = r.result.proof;
        check(`${kind}: 192 bytes`, proof.length === 192, proof.length);
        check(`${kind}: valid`, verify(cuzk, dir, params, kind, proof) === 0);
        const swapped = Buffer.concat([proof.subarray(144), proof.subarray(48, 144), proof.subarray(0, 48)]);
        check(`${kind}: C and A swapped is false`, verify(cuzk, dir, params, kind, swapped) === 1);
    }
}));
// again by the other transports, and in the forms of the proof market: no sector_size, keys that nobody knows
const odd = jobs.porep();
odd.vanilla_proof = Buffer.from(odd.vanilla_proof.toString().replace('"SectorSize":2048', '"SectorSize":2048,"More":{"x":[1]}'));
const [overTls, overUnix] = await Promise.all([
    tls.prove({ ...odd, request_id: 'ps-porep-1000-1-77' }, { deadline: Date.now() + 300000 }),
    unix.prove({ ...jobs.update(), request_id: 'ps-snap-1000-1-78', sector_size: 0 }),
]);
for (const [kind, r] of [['porep', overTls], ['update', overUnix]]) {
    check(`${kind} by another transport`, r.code === 'OK' && r.result.status === 'COMPLETED' && verify(cuzk, dir, params, kind, r.result.proof) === 0,
        JSON.stringify(r).slice(0, 300));
}
const other = { ...jobs.porep(), request_id: 'other miner', miner_id: 1001 };
const refused = await c.prove(other);
check("another miner's C1 is refused", refused.code === 'OK' && refused.result.status === 'FAILED', JSON.stringify(refused).slice(0, 300));
const s = (await c.call('GetStatus')).value;
check('counted', s.total_proofs_completed === 6 && s.total_proofs_failed === 1, s);
[c, tls, unix].forEach((x) => x.close());
check('the daemon ends in peace', await daemon.stop() === 0, daemon.log().slice(-2000));
finish();
