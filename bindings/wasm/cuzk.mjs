// SPDX-License-Identifier: MIT OR Apache-2.0
// Verification of Groth16 proofs over BLS12-381 in JavaScript: browsers and node.
//
//     const cuzk = await load(await readFile("cuzk.wasm"));
//     const key = cuzk.key(vk);              // Uint8Array of a .vk file
//     key.verify(proof, inputs);             // throws unless proven; inputs: Uint8Arrays of 32 bytes, little-endian
//     key.free();

/** A failed call: status is the number of <cuzk/verify.h>, message its text. */
export class CuzkError extends Error {
  constructor(status, text) {
    super(text);
    this.name = "CuzkError";
    this.status = status;
  }
}

/** What the module asks of its surroundings: random bytes for batches, and an end for failed checks of its own. */
function surroundings(memory) {
  const no = () => 8; // EBADF: there are no files
  return {
    random_get: (at, n) => {
      globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, at, n));
      return 0;
    },
    proc_exit: (code) => {
      throw new Error(`cuzk.wasm ended with ${code}`);
    },
    fd_write: no, fd_close: no, fd_seek: no, fd_read: no, fd_fdstat_get: no, fd_prestat_get: no, fd_prestat_dir_name: no,
    environ_get: () => 0,
    environ_sizes_get: (count, bytes) => {
      new DataView(memory().buffer).setUint32(count, 0, true);
      new DataView(memory().buffer).setUint32(bytes, 0, true);
      return 0;
    },
  };
}

class Module {
  constructor(exports) {
    this.c = exports;
  }

  /** Runs f with copies of the arrays in the module's memory, and frees them. */
  with(arrays, f) {
    const at = [];
    try {
      for (const a of arrays) {
        const p = this.c.malloc(a.length + 8);
        if (p === 0) throw new CuzkError(-2, "out of memory");
        at.push(p);
        new Uint8Array(this.c.memory.buffer, p, a.length).set(a);
      }
      return f(...at);
    } finally {
      at.forEach((p) => this.c.free(p));
    }
  }

  check(status) {
    if (status === 0) return;
    const at = this.c.cuzk_verify_text(status);
    const bytes = new Uint8Array(this.c.memory.buffer, at, 200);
    throw new CuzkError(status, new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0))));
  }

  /** Parses the bytes of a .vk file. */
  key(vk) {
    return this.with([new Uint8Array(4), vk], (out, bytes) => {
      this.check(this.c.cuzk_vk_read(out, bytes, vk.length));
      return new Key(this, new DataView(this.c.memory.buffer).getUint32(out, true));
    });
  }
}

class Key {
  constructor(module, p) {
    this.module = module;
    this.p = p;
  }

  /** Number of public inputs. */
  get inputs() {
    return this.module.c.cuzk_vk_n_inputs(this.p);
  }

  /** Throws a CuzkError unless the proof is proven for the public inputs. */
  verify(proof, inputs) {
    const flat = new Uint8Array(32 * inputs.length);
    inputs.forEach((x, i) => {
      if (x.length !== 32) throw new RangeError("an input must have 32 bytes");
      flat.set(x, 32 * i);
    });
    this.module.with([proof, flat], (p, x) =>
      this.module.check(this.module.c.cuzk_verify(this.p, p, proof.length, x, inputs.length)));
  }

  free() {
    this.module.c.cuzk_vk_destroy(this.p);
    this.p = 0;
  }
}

/** bytes: those of cuzk.wasm. */
export async function load(bytes) {
  let instance;
  const imports = { wasi_snapshot_preview1: surroundings(() => instance.exports.memory) };
  ({ instance } = await WebAssembly.instantiate(bytes, imports));
  instance.exports._initialize?.();
  return new Module(instance.exports);
}
