// SPDX-License-Identifier: MIT OR Apache-2.0
// One request_id, two contents, at the same time, as Curio's WindowPoSt partitions of one deadline: each caller gets the
// proof of its own statement. Usage: node test_same_id.mjs CUZK PARAMS [ROUNDS]
import { Client, check, finish, jobs, serve, setup, tmpdir, verify } from './daemon.mjs';

const [, , cuzk, params, rounds = '20'] = process.argv;
const dir = tmpdir();
setup(cuzk, params, ['window']);
const daemon = await serve(cuzk, dir, params, ['127.0.0.1:0']);
const a = new Client(`127.0.0.1:${daemon.ports[0]}`), b = new Client(`127.0.0.1:${daemon.ports[0]}`);
for (let i = 0; i < Number(rounds); i++) {
    const id = { request_id: i % 2 === 0 ? `wdpost-${i}` : 'wdpost' }; // also one name over all rounds
    const [x, y] = await Promise.all([a.prove({ ...jobs.window([1]), ...id }), b.prove({ ...jobs.window([2]), ...id })]);
    const done = [x, y].every((r) => r.code === 'OK' && r.result.status === 'COMPLETED' && r.result.job_id === id.request_id);
    if (!check(`round ${i}: both COMPLETED`, done, JSON.stringify([x, y]).slice(0, 400))) {
        continue;
    }
    check(`round ${i}: first is its own`, verify(cuzk, dir, params, 'window', x.result.proof, [1]) === 0);
    check(`round ${i}: second is its own`, verify(cuzk, dir, params, 'window', y.result.proof, [2]) === 0);
    check(`round ${i}: first is not the second's`, verify(cuzk, dir, params, 'window', x.result.proof, [2]) === 1);
    check(`round ${i}: second is not the first's`, verify(cuzk, dir, params, 'window', y.result.proof, [1]) === 1);
}
// equal name and equal content: one job
const [p, q] = await Promise.all([a.prove({ ...jobs.window(), request_id: 'twins' }), b.prove({ ...jobs.window(), request_id: 'twins' })]);
check('equal requests are one job', p.code === 'OK' && p.result.proof.equals(q.result.proof));
a.close();
b.close();
check('the daemon ends in peace', await daemon.stop() === 0, daemon.log().slice(-2000));
finish();
