# SPDX-License-Identifier: MIT OR Apache-2.0
"""libcuzk in Python: Groth16 verification over BLS12-381, Filecoin's claims, parameter files.

Bytes in, an exception or None out. The shared library libcuzk.so.0 is found by the dynamic loader, or at
the path in the environment variable CUZK_LIBRARY.
"""
from __future__ import annotations

import ctypes as C
import os
from typing import Iterable, Optional, Sequence, Tuple

__all__ = ["Error", "VerifyingKey", "POREP", "WINNING", "WINDOW", "UPDATE", "version", "verify_seal", "verify_post",
           "verify_update", "params_files", "params_check", "params_make"]

POREP, WINNING, WINDOW, UPDATE = 0, 1, 2, 3
PROOF_BYTES = 192

_lib = C.CDLL(os.environ.get("CUZK_LIBRARY", "libcuzk.so.0"))


class _Error(C.Structure):
    _fields_ = [("status", C.c_int32), ("error_class", C.c_int32), ("os_code", C.c_int32), ("reserved", C.c_int32),
                ("text", C.c_char * 496)]


class _SealClaim(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("reserved", C.c_uint32), ("registered_proof", C.c_uint64),
                ("miner_id", C.c_uint64), ("sector_number", C.c_uint64), ("ticket", C.c_uint8 * 32),
                ("seed", C.c_uint8 * 32), ("comm_r", C.c_uint8 * 32), ("comm_d", C.c_uint8 * 32)]


class _Sector(C.Structure):
    _fields_ = [("number", C.c_uint64), ("comm_r", C.c_uint8 * 32)]


class _PostClaim(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("partition", C.c_uint32), ("registered_proof", C.c_uint64),
                ("sectors", C.POINTER(_Sector)), ("n_sectors", C.c_size_t), ("randomness", C.c_uint8 * 32)]


class _UpdateClaim(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("reserved", C.c_uint32), ("registered_proof", C.c_uint64),
                ("comm_r_old", C.c_uint8 * 32), ("comm_r_new", C.c_uint8 * 32), ("comm_d_new", C.c_uint8 * 32)]


class _ParamsFile(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("kind", C.c_int32), ("name", C.c_char_p), ("cid", C.c_char_p),
                ("digest", C.c_char_p), ("sector_bytes", C.c_uint64), ("bytes", C.c_uint64)]


class _CheckOptions(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("checks", C.c_uint32), ("digest", C.c_char_p), ("threads", C.c_uint32),
                ("reserved", C.c_uint32), ("progress", C.c_void_p), ("progress_arg", C.c_void_p)]


class _MakeOptions(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("flags", C.c_uint32), ("seed", C.c_uint64), ("threads", C.c_uint32),
                ("reserved", C.c_uint32), ("progress", C.c_void_p), ("progress_arg", C.c_void_p)]


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
_declare("cuzk_params_count", _S)
_declare("cuzk_params_get", C.c_int32, C.POINTER(_ParamsFile), _S)
_declare("cuzk_params_check", C.c_int32, C.c_char_p, C.POINTER(_CheckOptions), _E)
_declare("cuzk_params_make", C.c_int32, C.c_char_p, C.c_int32, C.c_uint64, C.POINTER(_MakeOptions), _E)


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


def verify_seal(vk: VerifyingKey, proof: bytes, *, registered_proof: int, miner_id: int, sector_number: int,
                ticket: bytes, seed: bytes, comm_r: bytes, comm_d: bytes) -> None:
    """A PoRep proof, all partitions. Raises Error unless it is proven."""
    error = _Error()
    claim = _SealClaim(C.sizeof(_SealClaim), 0, registered_proof, miner_id, sector_number, _bytes32(ticket, "ticket"),
                       _bytes32(seed, "seed"), _bytes32(comm_r, "comm_r"), _bytes32(comm_d, "comm_d"))
    _raise(_lib.cuzk_verify_seal(vk._p, proof, len(proof), C.byref(claim), C.byref(error)), error)


def verify_post(vk: VerifyingKey, proof: bytes, *, registered_proof: int, randomness: bytes,
                sectors: Iterable[Tuple[int, bytes]], partition: int = 0) -> None:
    """A WinningPoSt, or one partition of a WindowPoSt; sectors: (number, comm_r). Raises Error unless it is proven."""
    error, known = _Error(), [_Sector(number, _bytes32(comm_r, "comm_r")) for number, comm_r in sectors]
    array = (_Sector * len(known))(*known)
    claim = _PostClaim(C.sizeof(_PostClaim), partition, registered_proof, array, len(known),
                       _bytes32(randomness, "randomness"))
    _raise(_lib.cuzk_verify_post(vk._p, proof, len(proof), C.byref(claim), C.byref(error)), error)


def verify_update(vk: VerifyingKey, proof: bytes, *, registered_proof: int, comm_r_old: bytes, comm_r_new: bytes,
                  comm_d_new: bytes) -> None:
    """A SnapDeals proof, all partitions. Raises Error unless it is proven."""
    error = _Error()
    claim = _UpdateClaim(C.sizeof(_UpdateClaim), 0, registered_proof, _bytes32(comm_r_old, "comm_r_old"),
                         _bytes32(comm_r_new, "comm_r_new"), _bytes32(comm_d_new, "comm_d_new"))
    _raise(_lib.cuzk_verify_update(vk._p, proof, len(proof), C.byref(claim), C.byref(error)), error)


def params_files() -> list:
    """The network's parameter files: dictionaries with name, cid, digest, kind, sector_bytes, bytes."""
    out = []
    for i in range(_lib.cuzk_params_count()):
        f = _ParamsFile(struct_size=C.sizeof(_ParamsFile))
        _raise(_lib.cuzk_params_get(C.byref(f), i))
        out.append({"name": f.name.decode(), "cid": f.cid.decode(), "digest": f.digest.decode(), "kind": f.kind,
                    "sector_bytes": f.sector_bytes, "bytes": f.bytes})
    return out


def params_check(path: str, *, digest: Optional[str] = None, points: bool = True, threads: int = 0) -> None:
    """Compares a file's digest with the network's (or the given one), and checks its points. Raises Error."""
    error = _Error()
    options = _CheckOptions(C.sizeof(_CheckOptions), 1 + 2 * points, digest.encode() if digest else None, threads)
    _raise(_lib.cuzk_params_check(os.fsencode(path), C.byref(options), C.byref(error)), error)


def params_make(folder: str, kind: int, sector_bytes: int, *, insecure_seed: Optional[int] = None,
                replace: bool = False, threads: int = 0) -> None:
    """Makes parameters for tests and private networks; with insecure_seed the same ones each time. Raises Error."""
    error = _Error()
    options = _MakeOptions(C.sizeof(_MakeOptions), (insecure_seed is not None) + 2 * replace, insecure_seed or 0, threads)
    _raise(_lib.cuzk_params_make(os.fsencode(folder), kind, sector_bytes, C.byref(options), C.byref(error)), error)
