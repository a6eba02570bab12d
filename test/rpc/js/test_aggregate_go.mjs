// SPDX-License-Identifier: MIT OR Apache-2.0
// cuzk.aggregate.v1 from grpc-go (go/main.go), with Debian's packages of it; skipped where they are missing.
// Usage: node test_aggregate_go.mjs CUZK
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { goClient } from './go_client.mjs';
import { aggregateParams, aggregateSrs, check, finish, here, serve, tmpdir } from './daemon.mjs';

const [, , cuzk] = process.argv;
const dir = tmpdir(), client = goClient(dir);
if (client === null) {
    console.log('skipped: golang-go, golang-google-grpc-dev or golang-goprotobuf-dev is not installed');
    process.exit(77);
}
const daemon = await serve(cuzk, dir, aggregateParams(cuzk, dir), ['http://127.0.0.1:0'], '', aggregateSrs);
const p = spawnSync(client, [`127.0.0.1:${daemon.ports[0]}`, path.join(here, '../vectors')], { encoding: 'utf8' });
check('grpc-go', p.status === 0, p.stdout + p.stderr);
check('the daemon ends in peace', await daemon.stop() === 0);
finish();
