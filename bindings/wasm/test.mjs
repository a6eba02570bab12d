// SPDX-License-Identifier: MIT OR Apache-2.0
// node test.mjs CUZK.wasm VECTORS: golden proofs of every kind, changed ones, and a module that is used often.
import assert from "node:assert";
import { readFile } from "node:fs/promises";
import { load } from "./cuzk.mjs";

const [wasm, vectors] = process.argv.slice(2);
const cuzk = await load(await readFile(wasm));
const hex = (s) => Uint8Array.from(Buffer.from(s, "hex"));
const { vectors: golden } = JSON.parse(await readFile(`${vectors}/groth16/vectors.json`));
for (const [name, vk] of [["porep-v1_1[0]", "porep-v1_1"], ["winning[0]", "winning"], ["window[0]", "window"], ["update[0]", "update"]]) {
  const key = cuzk.key(await readFile(`${vectors}/groth16/${vk}.vk`));
  const proof = hex(golden[name].proofs.at(-1).proof);
  const inputs = golden[name].public_inputs_le.map(hex);
  assert.strictEqual(key.inputs, inputs.length);
  for (let i = 0; i < 3; i++) key.verify(proof, inputs);
  const other = inputs.map((x) => x.slice());
  other[0][0] ^= 1;
  assert.throws(() => key.verify(proof, other), { name: "CuzkError", status: -193 });
  assert.throws(() => key.verify(proof, inputs.slice(1)), { status: -1 });
  assert.throws(() => key.verify(proof.slice(1), inputs), { name: "CuzkError" });
  assert.throws(() => key.verify(new Uint8Array(192), inputs), { name: "CuzkError" });
  assert.throws(() => key.verify(proof, [new Uint8Array(31)]), RangeError);
  key.free();
}
assert.throws(() => cuzk.key(new Uint8Array(10)), { status: -10 });
console.log("wasm: ok");
