// SPDX-License-Identifier: MIT OR Apache-2.0
// go/main.go compiled into dir, with Debian's packages of grpc-go; null where they are missing.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { here } from './daemon.mjs';

export function goClient(dir) {
    const gocode = '/usr/share/gocode';
    const has = (p) => spawnSync('sh', ['-c', `command -v ${p}`]).status === 0;
    if (!has('go') || !has('protoc') || !has('protoc-gen-go') || !fs.existsSync(`${gocode}/src/google.golang.org/grpc`)) {
        return null;
    }
    const pb = path.join(dir, 'go/src/aggregatepb'), proto = path.join(here, '../../proto/cuzk/aggregate/v1'), out = path.join(dir, 'client');
    const must = (p) => {
        if (p.status !== 0) {
            throw new Error(p.stdout + p.stderr);
        }
    };
    fs.mkdirSync(pb, { recursive: true });
    must(spawnSync('protoc', ['-I', proto, `--go_out=plugins=grpc,import_path=aggregatepb:${pb}`, 'aggregate.proto'], { encoding: 'utf8' }));
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: `${path.join(dir, 'go')}:${gocode}`, GOFLAGS: '' };
    must(spawnSync('go', ['build', '-o', out, path.join(here, 'go/main.go')], { encoding: 'utf8', env }));
    return out;
}
