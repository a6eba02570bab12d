# SPDX-License-Identifier: MIT OR Apache-2.0
"""libcuzk in Python: Groth16 proofs over BLS12-381 of Filecoin and circom, verification, parameter files.

Bytes in, an exception or None out. The shared library libcuzk.so.0 is found by the dynamic loader, or at
the path in the environment variable CUZK_LIBRARY.
"""
from __future__ import annotations

import ctypes as C
import os
from typing import Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple

__all__ = ["Error", "VerifyingKey", "POREP", "WINNING", "WINDOW", "UPDATE", "version", "verify_seal", "verify_post",
           "verify_update", "seal_inputs", "Prover", "Task", "CircomKey", "Span", "circom_proof_json", "circom_public_json"]

POREP, WINNING, WINDOW, UPDATE = 0, 1, 2, 3
PROOF_BYTES = 192

_lib = C.CDLL(os.environ.get("CUZK_LIBRARY", "libcuzk.so.0"))


class _Error(C.Structure):
    _fields_ = [("status", C.c_int32), ("error_class", C.c_int32), ("os_code", C.c_int32), ("reserved", C.c_int32),
                ("text", C.c_char * 496)]


class _SealClaim(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("reserved", C.c_uint32), ("registered_proof", C.c_uint64),
                ("miner_id", C.c_uint64), ("sector_number", C.c_uint64), ("ticket", C.c_uint8 * 32),
                ("seed", C.c_uint8 * 32), ("comm_r", C.c_uint8 * 32), ("comm_d", C.c_uint8 * 32),
                ("flags", C.c_uint32), ("partition", C.c_uint32), ("replica_id", C.c_uint8 * 32)]


class _Sector(C.Structure):
    _fields_ = [("number", C.c_uint64), ("comm_r", C.c_uint8 * 32)]


class _PostClaim(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("partition", C.c_uint32), ("registered_proof", C.c_uint64),
                ("sectors", C.POINTER(_Sector)), ("n_sectors", C.c_size_t), ("randomness", C.c_uint8 * 32),
                ("sector_bytes", C.c_uint64), ("kind", C.c_int32), ("reserved", C.c_uint32)]


class _UpdateClaim(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("reserved", C.c_uint32), ("registered_proof", C.c_uint64),
                ("comm_r_old", C.c_uint8 * 32), ("comm_r_new", C.c_uint8 * 32), ("comm_d_new", C.c_uint8 * 32),
                ("sector_bytes", C.c_uint64), ("flags", C.c_uint32), ("partition", C.c_uint32)]


class _Input(C.Structure):
    _fields_ = [("data", C.c_char_p), ("size", C.c_size_t)]


_PROGRESS = C.CFUNCTYPE(C.c_int32, C.c_void_p, C.c_char_p, C.c_uint64, C.c_uint64)


class _ProverOptions(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("threads", C.c_uint32), ("workers", C.c_uint32), ("reserved", C.c_uint32),
                ("devices", C.c_char_p), ("params_folder", C.c_char_p), ("memory_bytes", C.c_uint64),
                ("device_memory_bytes", C.c_uint64), ("log", C.c_void_p), ("log_arg", C.c_void_p)]


class _ProveRequest(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("kind", C.c_int32), ("flags", C.c_uint32), ("partition", C.c_uint32),
                ("sector_bytes", C.c_uint64), ("registered_proof", C.c_uint64), ("miner_id", C.c_uint64),
                ("sector_number", C.c_uint64), ("inputs", C.POINTER(_Input)), ("n_inputs", C.c_size_t),
                ("circom_key", C.c_void_p), ("progress", _PROGRESS), ("progress_arg", C.c_void_p),
                ("priority", C.c_int32), ("reserved", C.c_uint32), ("randomness", C.c_uint8 * 32),
                ("comm_r_old", C.c_uint8 * 32), ("comm_r_new", C.c_uint8 * 32), ("comm_d_new", C.c_uint8 * 32)]


class _Span(C.Structure):
    _fields_ = [("begin_ns", C.c_uint64), ("end_ns", C.c_uint64), ("parent", C.c_int32), ("partition", C.c_int32),
                ("device", C.c_int32), ("reserved", C.c_int32), ("name", C.c_char * 32)]


def _declare(name: str, result, *arguments) -> None:
    f = getattr(_lib, name)
    f.restype, f.argtypes = result, list(arguments)


_P, _S, _E = C.c_void_p, C.c_size_t, C.POINTER(_Error)
_declare("cuzk_version", C.c_char_p)
_declare("cuzk_verify_text", C.c_char_p, C.c_int32)
_declare("cuzk_status_name", C.c_char_p, C.c_int32)
_declare("cuzk_vk_read", C.c_int32, C.POINTER(_P), C.c_char_p, _S)
_declare("cuzk_vk_load", C.c_int32, C.POINTER(_P), C.c_int32, C.c_uint64, C.c_char_p, _E)
_declare("cuzk_vk_destroy", None, _P)
_declare("cuzk_vk_n_inputs", _S, _P)
_declare("cuzk_verify", C.c_int32, _P, C.c_char_p, _S, C.c_char_p, _S)
_declare("cuzk_verify_batch", C.c_int32, _P, C.c_char_p, _S, C.c_char_p, _S, _S, C.POINTER(_S))
_declare("cuzk_verify_seal", C.c_int32, _P, C.c_char_p, _S, C.POINTER(_SealClaim), _E)
_declare("cuzk_verify_post", C.c_int32, _P, C.c_char_p, _S, C.POINTER(_PostClaim), _E)
_declare("cuzk_verify_update", C.c_int32, _P, C.c_char_p, _S, C.POINTER(_UpdateClaim), _E)
_declare("cuzk_seal_inputs", C.c_int32, C.c_char_p, _S, C.POINTER(_S), C.POINTER(_SealClaim), _E)
_declare("cuzk_prover_create", C.c_int32, C.POINTER(_P), C.POINTER(_ProverOptions), _E)
_declare("cuzk_prover_destroy", None, _P)
_declare("cuzk_prover_load", C.c_int32, _P, C.c_int32, C.c_uint64, _E)
_declare("cuzk_prover_unload", C.c_int32, _P, C.c_int32, C.c_uint64, _E)
_declare("cuzk_circom_key_load", C.c_int32, C.POINTER(_P), _P, C.c_char_p, _E)
_declare("cuzk_circom_key_destroy", None, _P)
_declare("cuzk_circom_key_vk", _P, _P)
_declare("cuzk_prover_submit", C.c_int32, C.POINTER(_P), _P, C.POINTER(_ProveRequest), _E)
_declare("cuzk_task_wait", C.c_int32, _P, C.c_int64)
_declare("cuzk_task_cancel", None, _P)
_declare("cuzk_task_result", C.c_int32, _P, C.c_char_p, _S, C.POINTER(_S), _E)
_declare("cuzk_task_public", C.c_int32, _P, C.c_char_p, _S, C.POINTER(_S), _E)
_declare("cuzk_task_spans", _S, _P, C.POINTER(_Span), _S)
_declare("cuzk_task_destroy", None, _P)
_declare("cuzk_circom_proof_json", C.c_int32, C.c_char_p, _S, C.POINTER(_S), C.c_char_p, _E)
_declare("cuzk_circom_public_json", C.c_int32, C.c_char_p, _S, C.POINTER(_S), C.c_char_p, _S, _E)


class Error(Exception):
    """A failure. status: "CUZK_E_..."; code: its number; retryable: the machine is at fault, not the input."""

    def __init__(self, code: int, text: str, retryable: bool = False) -> None:
        super().__init__(text)
        self.code, self.retryable = code, retryable
        self.status: str = _lib.cuzk_status_name(code).decode()


def _raise(code: int, error: Optional[_Error] = None) -> None:
    if code != 0:
        if error is None:
            raise Error(code, _lib.cuzk_verify_text(code).decode())
        raise Error(code, error.text.decode(errors="replace"), error.error_class == 2)


def _bytes32(value: bytes, what: str):
    if len(value) != 32:
        raise ValueError(f"{what} has {len(value)} bytes, it must have 32")
    return (C.c_uint8 * 32)(*value)


def version() -> str:
    """Version of the library that is loaded."""
    return _lib.cuzk_version().decode()


class VerifyingKey:
    """The key that proofs of one circuit are verified with. Immutable; any number of threads may use it."""

    def __init__(self, vk: bytes) -> None:
        self._p = _P()
        _raise(_lib.cuzk_vk_read(C.byref(self._p), vk, len(vk)))

    @classmethod
    def load(cls, kind: int, sector_bytes: int, folder: Optional[str] = None) -> "VerifyingKey":
        """From the folder of the network's parameter files."""
        self, error = cls.__new__(cls), _Error()
        self._p = _P()
        name = os.fsencode(folder) if folder is not None else None
        _raise(_lib.cuzk_vk_load(C.byref(self._p), kind, sector_bytes, name, C.byref(error)), error)
        return self

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            _lib.cuzk_vk_destroy(self._p)

    @property
    def n_inputs(self) -> int:
        return _lib.cuzk_vk_n_inputs(self._p)

    def verify(self, proof: bytes, inputs: Sequence[bytes]) -> None:
        """One proof with its public inputs, 32 bytes each, little-endian. Raises Error unless it is proven."""
        if any(len(x) != 32 for x in inputs):
            raise ValueError("every input must have 32 bytes")
        _raise(_lib.cuzk_verify(self._p, proof, len(proof), b"".join(inputs), len(inputs)))


_ONE_PARTITION, _REPLICA_ID = 1, 2  # CUZK_CLAIM_...
_NONE32 = bytes(32)


def _part(partition: Optional[int]) -> Tuple[int, int]:
    """Flag and number of a claim of one partition; None: all of them."""
    return (0, 0) if partition is None else (_ONE_PARTITION, partition)


def _seal_claim(*, registered_proof: int, miner_id: Optional[int] = None, sector_number: Optional[int] = None,
                ticket: Optional[bytes] = None, seed: bytes, comm_r: bytes, comm_d: bytes, partition: Optional[int] = None,
                replica_id: Optional[bytes] = None) -> _SealClaim:
    flags, number = _part(partition)
    if replica_id is not None:
        flags |= _REPLICA_ID
    elif miner_id is None or sector_number is None or ticket is None:
        raise TypeError("a claim has miner_id, sector_number and ticket, or else replica_id")
    return _SealClaim(C.sizeof(_SealClaim), 0, registered_proof, miner_id or 0, sector_number or 0,
                      _bytes32(ticket if ticket is not None else _NONE32, "ticket"), _bytes32(seed, "seed"),
                      _bytes32(comm_r, "comm_r"), _bytes32(comm_d, "comm_d"), flags, number,
                      _bytes32(replica_id if replica_id is not None else _NONE32, "replica_id"))


def verify_seal(vk: VerifyingKey, proof: bytes, *, registered_proof: int, miner_id: Optional[int] = None,
                sector_number: Optional[int] = None, ticket: Optional[bytes] = None, seed: bytes, comm_r: bytes, comm_d: bytes,
                partition: Optional[int] = None, replica_id: Optional[bytes] = None) -> None:
    """A PoRep proof: all partitions, or the one that is named. replica_id in place of miner_id, sector_number and ticket.
    Raises Error unless it is proven."""
    error, claim = _Error(), _seal_claim(registered_proof=registered_proof, miner_id=miner_id, sector_number=sector_number, ticket=ticket,
                                         seed=seed, comm_r=comm_r, comm_d=comm_d, partition=partition, replica_id=replica_id)
    _raise(_lib.cuzk_verify_seal(vk._p, proof, len(proof), C.byref(claim), C.byref(error)), error)


def seal_inputs(*, registered_proof: int, miner_id: Optional[int] = None, sector_number: Optional[int] = None,
                ticket: Optional[bytes] = None, seed: bytes, comm_r: bytes, comm_d: bytes, partition: Optional[int] = None,
                replica_id: Optional[bytes] = None) -> List[bytes]:
    """Public inputs of a claim as verify_seal has it, one partition after another: 32 bytes each, little-endian."""
    error, n = _Error(), _S(0)
    claim = _seal_claim(registered_proof=registered_proof, miner_id=miner_id, sector_number=sector_number, ticket=ticket, seed=seed,
                        comm_r=comm_r, comm_d=comm_d, partition=partition, replica_id=replica_id)
    _lib.cuzk_seal_inputs(None, 0, C.byref(n), C.byref(claim), C.byref(error))
    out = C.create_string_buffer(32 * n.value + 1)
    _raise(_lib.cuzk_seal_inputs(out, n.value, C.byref(n), C.byref(claim), C.byref(error)), error)
    return [out.raw[32 * i:32 * i + 32] for i in range(n.value)]


def verify_post(vk: VerifyingKey, proof: bytes, *, registered_proof: int = 0, randomness: bytes,
                sectors: Iterable[Tuple[int, bytes]], partition: int = 0, sector_bytes: int = 0, kind: int = 0) -> None:
    """A WinningPoSt, or one partition of a WindowPoSt; sectors: (number, comm_r). sector_bytes and kind in place of
    registered_proof: for sizes that have no registered type. Raises Error unless it is proven."""
    error, known = _Error(), [_Sector(number, _bytes32(comm_r, "comm_r")) for number, comm_r in sectors]
    array = (_Sector * len(known))(*known)
    claim = _PostClaim(C.sizeof(_PostClaim), partition, registered_proof, array, len(known),
                       _bytes32(randomness, "randomness"), sector_bytes, kind)
    _raise(_lib.cuzk_verify_post(vk._p, proof, len(proof), C.byref(claim), C.byref(error)), error)


def verify_update(vk: VerifyingKey, proof: bytes, *, registered_proof: int = 0, comm_r_old: bytes, comm_r_new: bytes,
                  comm_d_new: bytes, sector_bytes: int = 0, partition: Optional[int] = None) -> None:
    """A SnapDeals proof, all partitions, or the one that is named. sector_bytes in place of registered_proof: for sizes
    that have no registered type. Raises Error unless it is proven."""
    error, (flags, number) = _Error(), _part(partition)
    claim = _UpdateClaim(C.sizeof(_UpdateClaim), 0, registered_proof, _bytes32(comm_r_old, "comm_r_old"),
                         _bytes32(comm_r_new, "comm_r_new"), _bytes32(comm_d_new, "comm_d_new"), sector_bytes, flags, number)
    _raise(_lib.cuzk_verify_update(vk._p, proof, len(proof), C.byref(claim), C.byref(error)), error)


class Span(NamedTuple):
    """A step of a task. Times are those of time.monotonic_ns(); parent is an index, or -1."""
    name: str
    begin_ns: int
    end_ns: int
    parent: int
    partition: int
    device: int


class CircomKey:
    """A .zkey, loaded. Tasks that use it keep it."""

    def __init__(self, prover: "Prover", path: str) -> None:
        error = _Error()
        self._p = _P()
        _raise(_lib.cuzk_circom_key_load(C.byref(self._p), prover._p, os.fsencode(path), C.byref(error)), error)

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            _lib.cuzk_circom_key_destroy(self._p)

    def verify(self, proof: bytes, inputs: Sequence[bytes]) -> None:
        """As VerifyingKey.verify, with the key inside."""
        vk = _lib.cuzk_circom_key_vk(self._p)
        _raise(_lib.cuzk_verify(vk, proof, len(proof), b"".join(inputs), len(inputs)))


class Task:
    """A job of a prover. Deleting it cancels it and waits for its end."""

    def __init__(self, p: C.c_void_p, keep: object) -> None:
        self._p, self._keep = p, keep  # keep: what the library reads until the end

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            _lib.cuzk_task_destroy(self._p)

    def wait(self, seconds: Optional[float] = None) -> bool:
        """True when the task has ended; None waits for ever. Other threads of Python run meanwhile."""
        return _lib.cuzk_task_wait(self._p, -1 if seconds is None else int(seconds * 1000)) == 1

    def cancel(self) -> None:
        """Asks the task to stop; its result is then the error CUZK_E_CANCELLED, unless it was done."""
        _lib.cuzk_task_cancel(self._p)

    def result(self) -> bytes:
        """Waits, and gives the proof, 192 bytes per partition. Raises Error."""
        self.wait()
        error, n = _Error(), _S(0)
        out = C.create_string_buffer(192 * 256)
        _raise(_lib.cuzk_task_result(self._p, out, len(out), C.byref(n), C.byref(error)), error)
        return out.raw[:n.value]

    def public_inputs(self) -> List[bytes]:
        """Of a circom task: 32 bytes each, little-endian."""
        self.wait()
        error, n = _Error(), _S(0)
        _lib.cuzk_task_public(self._p, None, 0, C.byref(n), C.byref(error))
        out = C.create_string_buffer(32 * n.value + 1)
        _raise(_lib.cuzk_task_public(self._p, out, n.value, C.byref(n), C.byref(error)), error)
        return [out.raw[32 * i:32 * i + 32] for i in range(n.value)]

    def spans(self) -> List[Span]:
        """Steps of an ended task that was submitted with spans=True."""
        n = _lib.cuzk_task_spans(self._p, None, 0)
        array = (_Span * n)()
        n = min(n, _lib.cuzk_task_spans(self._p, array, n))
        return [Span(s.name.decode(), s.begin_ns, s.end_ns, s.parent, s.partition, s.device) for s in array[:n]]


def _set_fields(request: _ProveRequest, fields: dict) -> None:
    for name, value in fields.items():
        if name not in ("partition", "sector_bytes", "registered_proof", "miner_id", "sector_number", "randomness",
                        "comm_r_old", "comm_r_new", "comm_d_new"):
            raise TypeError(f"a request has no field {name}")
        setattr(request, name, _bytes32(value, name) if isinstance(value, bytes) else value)


class Prover:
    """Threads, devices and loaded keys. Every proof is verified before it is given. Any thread may use one."""

    def __init__(self, *, threads: int = 0, workers: int = 0, devices: Optional[str] = None,
                 params_folder: Optional[str] = None, memory_bytes: int = 0, device_memory_bytes: int = 0) -> None:
        error = _Error()
        options = _ProverOptions(C.sizeof(_ProverOptions), threads, workers, 0, devices.encode() if devices else None,
                                 os.fsencode(params_folder) if params_folder else None, memory_bytes, device_memory_bytes)
        self._p = _P()
        _raise(_lib.cuzk_prover_create(C.byref(self._p), C.byref(options), C.byref(error)), error)

    def close(self) -> None:
        """Cancels all tasks and ends the threads."""
        if getattr(self, "_p", None):
            _lib.cuzk_prover_destroy(self._p)
            self._p = None

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> "Prover":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def load(self, kind: int, sector_bytes: int) -> None:
        """Loads circuit and parameters now, and keeps them."""
        error = _Error()
        _raise(_lib.cuzk_prover_load(self._p, kind, sector_bytes, C.byref(error)), error)

    def unload(self, kind: int, sector_bytes: int) -> None:
        """Gives back what load or a task loaded."""
        error = _Error()
        _raise(_lib.cuzk_prover_unload(self._p, kind, sector_bytes, C.byref(error)), error)

    def submit(self, kind: int, inputs: Sequence[bytes], *, flags: int = 0, spans: bool = False, priority: int = 0,
               progress: Optional[Callable[[str, int, int], object]] = None, circom_key: Optional[CircomKey] = None,
               **fields: object) -> Task:
        """Queues a job. fields are those of cuzk_prove_request: partition, sector_bytes, registered_proof, miner_id,
        sector_number, and randomness, comm_r_old, comm_r_new, comm_d_new of 32 bytes. progress(step, done, total) is
        called from a thread of the library; a true result or an exception cancels the job."""
        array = (_Input * len(inputs))(*[_Input(bytes(x), len(x)) for x in inputs])

        def call(_arg: object, step: bytes, done: int, total: int) -> int:
            try:
                return 1 if progress is not None and progress(step.decode(), done, total) else 0
            except BaseException:  # cannot cross the library
                return 1

        callback = _PROGRESS(call) if progress is not None else _PROGRESS()
        request = _ProveRequest(C.sizeof(_ProveRequest), kind, flags | (4 if spans else 0), inputs=array,
                                n_inputs=len(inputs), circom_key=circom_key._p if circom_key else None,
                                progress=callback, priority=priority)
        _set_fields(request, fields)
        task, error = _P(), _Error()
        _raise(_lib.cuzk_prover_submit(C.byref(task), self._p, C.byref(request), C.byref(error)), error)
        return Task(task, (array, callback, circom_key))

    def prove(self, kind: int, inputs: Sequence[bytes], **arguments: object) -> bytes:
        """submit() and Task.result()."""
        return self.submit(kind, inputs, **arguments).result()  # type: ignore[arg-type]

    def circom_key(self, path: str) -> CircomKey:
        """Loads a snarkjs .zkey over BLS12-381."""
        return CircomKey(self, path)

    def submit_circom(self, key: CircomKey, witness: bytes, **arguments: object) -> Task:
        """Queues a proof of a .wtns file's bytes."""
        return self.submit(16, [witness], circom_key=key, **arguments)  # type: ignore[arg-type]


def _text(call: Callable[..., int], *arguments: object) -> str:
    error, n = _Error(), _S(0)
    call(None, 0, C.byref(n), *arguments, C.byref(error))
    out = C.create_string_buffer(n.value + 1)
    _raise(call(out, len(out), C.byref(n), *arguments, C.byref(error)), error)
    return out.value.decode()


def circom_proof_json(proof: bytes) -> str:
    """snarkjs's proof.json."""
    return _text(_lib.cuzk_circom_proof_json, proof)


def circom_public_json(inputs: Sequence[bytes]) -> str:
    """snarkjs's public.json."""
    return _text(_lib.cuzk_circom_public_json, b"".join(inputs), len(inputs))


from . import _params  # noqa: E402  (it needs the names above)
from ._params import *  # noqa: E402,F401,F403

__all__ += _params.__all__
