// SPDX-License-Identifier: MIT OR Apache-2.0
// The four kinds of proof, as Curio sends them: COMPLETED, of the right length, valid, and valid for nothing else.
// The large kinds come in the forms of the proof market, which have all of Curio's fields and more; with --twice first in Curio's own forms, too.
// Usage: node test_kinds.mjs CUZK MAKE_CERTS PARAMS [--twice]
import fs from 'node:fs';
import path from 'node:path';
import { Client, certificates, check, finish, grpc, jobs, serve, setup, tmpdir, verify } from './daemon.mjs';

const [, , cuzk, makeCerts, params, option] = process.argv;
const dir = tmpdir();
certificates(makeCerts, dir);
const kinds = ['porep', 'winning', 'window', 'update'];
setup(cuzk, params, kinds);
const daemon = await serve(cuzk, dir, params, ['http://127.0.0.1:0', 'https://127.0.0.1:0', `unix://${dir}/s`],
    `tls_cert = "${dir}/server.pem"\ntls_key = "${dir}/server.key"\n`);
const c = new Client(`127.0.0.1:${daemon.ports[0]}`);
const tls = new Client(`localhost:${daemon.ports[1]}`, grpc.credentials.createSsl(fs.readFileSync(path.join(dir, 'ca.pem'))));
const unix = new Client(`unix:${dir}/s`);
const prove = async (what, kind, client, request) => {
    const r = await client.prove(request);
    const ok = check(`${what}: COMPLETED`, r.code === 'OK' && r.result.status === 'COMPLETED' && r.result.job_id === request.request_id,
        JSON.stringify(r).slice(0, 400));
    if (ok) {
        const proof = r.result.proof;
        check(`${what}: 192 bytes`, proof.length === 192, proof.length);
        check(`${what}: valid`, verify(cuzk, dir, params, kind, proof) === 0);
        const swapped = Buffer.concat([proof.subarray(144), proof.subarray(48, 144), proof.subarray(0, 48)]);
        check(`${what}: C and A swapped is false`, verify(cuzk, dir, params, kind, swapped) === 1);
    }
};
const plain = option === '--twice' ? kinds : ['winning', 'window'];
await Promise.all(plain.map((kind) => prove(kind, kind, c, jobs[kind]())));
// by the other transports, in the forms of the proof market: no sector_size, keys that nobody knows
const odd = jobs.porep();
odd.vanilla_proof = Buffer.from(odd.vanilla_proof.toString().replace('"SectorSize":2048', '"SectorSize":2048,"More":{"x":[1]}'));
await Promise.all([
    prove('porep by TLS', 'porep', tls, { ...odd, request_id: 'ps-porep-1000-1-77' }),
    prove('update by a unix socket', 'update', unix, { ...jobs.update(), request_id: 'ps-snap-1000-1-78', sector_size: 0 }),
]);
const other = { ...jobs.porep(), request_id: 'other miner', miner_id: 1001 };
const refused = await c.prove(other);
check("another miner's C1 is refused", refused.code === 'OK' && refused.result.status === 'FAILED', JSON.stringify(refused).slice(0, 300));
const s = (await c.call('GetStatus')).value;
check('counted', s.total_proofs_completed === plain.length + 2 && s.total_proofs_failed === 1, s);
[c, tls, unix].forEach((x) => x.close());
check('the daemon ends in peace', await daemon.stop() === 0, daemon.log().slice(-2000));
finish();
