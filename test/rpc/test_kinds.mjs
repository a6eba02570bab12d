// SPDX-License-Identifier: MIT OR Apache-2.0
// The four kinds of proof, as Curio sends them: COMPLETED, of the right length, valid, and valid for nothing else.
// Usage: node test_kinds.mjs CUZK PARAMS
import { Client, check, finish, jobs, serve, setup, tmpdir, verify } from './daemon.mjs';

const [, , cuzk, params] = process.argv;
const dir = tmpdir();
const kinds = ['porep', 'winning', 'window', 'update'];
setup(cuzk, params, kinds);
const daemon = await serve(cuzk, dir, params, ['127.0.0.1:0']);
const c = new Client(`127.0.0.1:${daemon.ports[0]}`);
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
const bad = jobs.porep();
bad.vanilla_proof = Buffer.from(bad.vanilla_proof.toString().replace('"SectorSize":2048', '"SectorSize":2048,"More":{"x":[1]}'));
const again = await c.prove({ ...bad, request_id: 'more keys' }, { deadline: Date.now() + 300000 });
check('unknown keys of the envelope are passed over', again.code === 'OK' && again.result.status === 'COMPLETED', JSON.stringify(again).slice(0, 300));
const other = { ...jobs.porep(), request_id: 'other miner', miner_id: 1001 };
const refused = await c.prove(other);
check("another miner's C1 is refused", refused.code === 'OK' && refused.result.status === 'FAILED', JSON.stringify(refused).slice(0, 300));
const s = (await c.call('GetStatus')).value;
check('counted', s.total_proofs_completed === 5 && s.total_proofs_failed === 1, s);
c.close();
check('the daemon ends in peace', await daemon.stop() === 0, daemon.log().slice(-2000));
finish();
