// SPDX-License-Identifier: MIT OR Apache-2.0
// cuzk.aggregate.v1 from grpc-go (go/main.go), with Debian's packages of it; skipped where they are missing.
// Usage: node test_aggregate_go.mjs CUZK
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { aggregateParams, aggregateSrs, check, finish, here, serve, tmpdir } from './daemon.mjs';

const [, , cuzk] = process.argv;
const gocode = '/usr/share/gocode';
const has = (p) => spawnSync('sh', ['-c', `command -v ${p}`]).status === 0;
if (!has('go') || !has('protoc') || !has('protoc-gen-go') || !fs.existsSync(`${gocode}/src/google.golang.org/grpc`)) {
    console.log('skipped: golang-go, golang-google-grpc-dev or golang-goprotobuf-dev is not installed');
    process.exit(77);
}
const dir = tmpdir(), pb = path.join(dir, 'go/src/aggregatepb'), proto = path.join(here, '../../proto/cuzk/aggregate/v1');
fs.mkdirSync(pb, { recursive: true });
let p = spawnSync('protoc', ['-I', proto, `--go_out=plugins=grpc,import_path=aggregatepb:${pb}`, 'aggregate.proto'], { encoding: 'utf8' });
check('code from the .proto', p.status === 0, p.stderr);
const env = { ...process.env, GO111MODULE: 'off', GOPATH: `${path.join(dir, 'go')}:${gocode}`, GOFLAGS: '' };
p = spawnSync('go', ['build', '-o', path.join(dir, 'client'), path.join(here, 'go/main.go')], { encoding: 'utf8', env });
if (check('go build', p.status === 0, p.stderr)) {
    const daemon = await serve(cuzk, dir, aggregateParams(cuzk, dir), ['http://127.0.0.1:0'], '', aggregateSrs);
    p = spawnSync(path.join(dir, 'client'), [`127.0.0.1:${daemon.ports[0]}`, path.join(here, '../vectors')], { encoding: 'utf8' });
    check('grpc-go', p.status === 0, p.stdout + p.stderr);
    check('the daemon ends in peace', await daemon.stop() === 0);
}
finish();
