# SPDX-License-Identifier: MIT OR Apache-2.0
"""Parameter files: cuzk/params.h. The package cuzk has all public names of this module."""
from __future__ import annotations

import ctypes as C
import os
from typing import Callable, List, NamedTuple, Optional

from . import _declare, _E, _Error, _lib, _P, _PROGRESS, _raise, _S, VerifyingKey

__all__ = ["ABSENT", "WRONG_SIZE", "PRESENT", "CHECKED", "UNREADABLE", "WRONG_DIGEST", "UNCHECKED", "ON_CURVE", "IN_GROUP",
           "CHAIN_UNCHECKED", "CHAIN_HOLDS", "CHAIN_HASH", "CHAIN_STEP", "CHAIN_DELTA", "Params", "ParamsFile", "ParamsInfo",
           "ParamsList", "ParamsMade", "params_check", "params_digest", "params_files", "params_make", "params_state_name"]

# CUZK_PARAMS_...: what is known of a copy of a file.
ABSENT, WRONG_SIZE, PRESENT, CHECKED, UNREADABLE, WRONG_DIGEST = range(6)
# CUZK_POINTS_...: what is checked of every point.
UNCHECKED, ON_CURVE, IN_GROUP = range(3)
# CUZK_CHAIN_...: how the contributions of a ceremony follow one another.
CHAIN_UNCHECKED, CHAIN_HOLDS, CHAIN_HASH, CHAIN_STEP, CHAIN_DELTA = range(5)

# progress(step, done, total); a true result stops the call. It may be called from another thread, one call at a time.
Progress = Callable[[str, int, int], object]


class _File(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("kind", C.c_int32), ("name", C.c_char_p), ("cid", C.c_char_p),
                ("digest", C.c_char_p), ("sector_bytes", C.c_uint64), ("bytes", C.c_uint64), ("kind_name", C.c_char_p)]


class _CheckOptions(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("checks", C.c_uint32), ("digest", C.c_char_p), ("threads", C.c_uint32),
                ("reserved", C.c_uint32), ("progress", _PROGRESS), ("progress_arg", C.c_void_p)]


class _OpenOptions(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("points", C.c_int32), ("threads", C.c_uint32), ("reserved", C.c_uint32),
                ("progress", _PROGRESS), ("progress_arg", C.c_void_p)]


class _Info(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("public_inputs", C.c_uint32), ("h", C.c_uint64), ("l", C.c_uint64), ("a", C.c_uint64),
                ("b_g1", C.c_uint64), ("b_g2", C.c_uint64), ("has_transcript", C.c_uint32), ("contributions", C.c_uint32),
                ("circuit_hash", C.c_uint8 * 64), ("chain", C.c_int32), ("chain_at", C.c_uint32)]


class _Made(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("lg_domain", C.c_uint32), ("constraints", C.c_uint64), ("public_inputs", C.c_uint64),
                ("aux_wires", C.c_uint64), ("compile_ns", C.c_uint64)]


class _MakeOptions(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("flags", C.c_uint32), ("seed", C.c_uint64), ("threads", C.c_uint32),
                ("reserved", C.c_uint32), ("progress", _PROGRESS), ("progress_arg", C.c_void_p), ("made", C.POINTER(_Made))]


_declare("cuzk_params_list_read", C.c_int32, C.POINTER(_P), C.c_char_p, _S, C.c_char_p, _E)
_declare("cuzk_params_list_destroy", None, _P)
_declare("cuzk_params_list_count", _S, _P)
_declare("cuzk_params_list_get", C.c_int32, C.POINTER(_File), _P, _S)
_declare("cuzk_params_list_state", C.c_int32, _P, _S, C.c_char_p)
_declare("cuzk_params_list_note", C.c_int32, _P, _S, C.c_char_p, _E)
_declare("cuzk_params_state_name", C.c_char_p, C.c_int32)
_declare("cuzk_params_digest", C.c_int32, C.c_char_p, C.c_char_p, _PROGRESS, C.c_void_p, _E)
_declare("cuzk_params_check", C.c_int32, C.c_char_p, C.POINTER(_CheckOptions), _E)
_declare("cuzk_params_open_with", C.c_int32, C.POINTER(_P), C.c_char_p, C.POINTER(_OpenOptions), _E)
_declare("cuzk_params_close", None, _P)
_declare("cuzk_params_get_info", C.c_int32, C.POINTER(_Info), _P)
_declare("cuzk_params_vk", C.c_int32, C.POINTER(_P), _P, _E)
_declare("cuzk_params_make", C.c_int32, C.c_char_p, C.c_int32, C.c_uint64, C.POINTER(_MakeOptions), _E)


class _Watch:
    """A progress function in C's form, for one call; what the function raises stops the call and is raised after it."""

    def __init__(self, progress: Optional[Progress]) -> None:
        self._progress, self._raised = progress, None  # type: ignore[var-annotated]
        self.c = _PROGRESS(self._call) if progress is not None else _PROGRESS()

    def _call(self, _arg: object, step: bytes, done: int, total: int) -> int:
        try:
            return 1 if self._progress is not None and self._progress(step.decode(), done, total) else 0
        except BaseException as e:  # cannot cross the library
            self._raised = e
            return 1

    def end(self, code: int, error: _Error) -> None:
        """Raises what the function raised, or else the failure of the call."""
        if self._raised is not None:
            raise self._raised
        _raise(code, error)


def _folder(folder: Optional[str]) -> Optional[bytes]:
    return os.fsencode(folder) if folder is not None else None


class ParamsFile(NamedTuple):
    """A file of a list. kind: POREP, ..., or -1 for another, and its name; bytes: 0 when not known; digest: 32 hex digits,
    the first 16 bytes of BLAKE2b-512 of the file; sector_bytes: 0 when for every size."""
    name: str
    cid: str
    digest: str
    kind: int
    kind_name: str
    sector_bytes: int
    bytes: int


class ParamsList:
    """A network's list of parameter files: ParamsList() is the network's own, ParamsList.read(json, name) another's.
    Immutable; any number of threads may use one. len(), [index] and iteration give ParamsFile."""

    def __init__(self) -> None:
        self._p = _P()

    @classmethod
    def read(cls, json: bytes, name: str) -> "ParamsList":
        """A list in the form of the network's parameters.json; name: what messages call it. Raises Error."""
        self, error = cls(), _Error()
        _raise(_lib.cuzk_params_list_read(C.byref(self._p), json, len(json), name.encode(), C.byref(error)), error)
        return self

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            _lib.cuzk_params_list_destroy(self._p)

    def __len__(self) -> int:
        return _lib.cuzk_params_list_count(self._p)

    def __getitem__(self, index: int) -> ParamsFile:
        f = _File(struct_size=C.sizeof(_File))
        if not 0 <= index < len(self):
            raise IndexError(f"the list has {len(self)} files, no file {index}")
        _raise(_lib.cuzk_params_list_get(C.byref(f), self._p, index))
        return ParamsFile(f.name.decode(), f.cid.decode(), f.digest.decode(), f.kind, f.kind_name.decode(), f.sector_bytes, f.bytes)

    def state(self, index: int, folder: Optional[str] = None) -> int:
        """ABSENT, ...: what is known of the copy in folder without reading it; None: the usual folder."""
        return _lib.cuzk_params_list_state(self._p, index, _folder(folder))

    def note(self, index: int, folder: Optional[str] = None) -> None:
        """Notes in folder that the digest of its copy was right just now, so that state() is CHECKED until the copy changes.
        Raises Error."""
        error = _Error()
        _raise(_lib.cuzk_params_list_note(self._p, index, _folder(folder), C.byref(error)), error)


def params_state_name(state: int) -> str:
    """ "absent", "wrong size", "not checked", "checked", "unreadable", "wrong digest"; "unknown" for another number."""
    return _lib.cuzk_params_state_name(state).decode()


def params_files() -> list:
    """The network's parameter files: dictionaries with name, cid, digest, kind, kind_name, sector_bytes, bytes."""
    return [f._asdict() for f in ParamsList()]


def params_digest(path: str, *, progress: Optional[Progress] = None) -> bytes:
    """First 16 bytes of BLAKE2b-512 of any file. progress: "digest", bytes read, size of the file. Raises Error."""
    error, watch, out = _Error(), _Watch(progress), C.create_string_buffer(16)
    watch.end(_lib.cuzk_params_digest(out, os.fsencode(path), watch.c, None, C.byref(error)), error)
    return out.raw


def params_check(path: str, *, digest: Optional[str] = None, points: bool = True, threads: int = 0,
                 progress: Optional[Progress] = None) -> None:
    """Compares a file's digest with the network's (or the given one), and checks its points. Raises Error."""
    error, watch = _Error(), _Watch(progress)
    options = _CheckOptions(C.sizeof(_CheckOptions), 1 + 2 * points, digest.encode() if digest else None, threads, progress=watch.c)
    watch.end(_lib.cuzk_params_check(os.fsencode(path), C.byref(options), C.byref(error)), error)


class ParamsInfo(NamedTuple):
    """What is in a .params file: public inputs (ONE not counted), points of each section, and a ceremony's transcript:
    circuit_hash is of 64 bytes, None without a transcript; chain: CHAIN_UNCHECKED unless the file was opened with IN_GROUP;
    chain_at: of CHAIN_HASH and CHAIN_STEP, which contribution, from 0."""
    public_inputs: int
    h: int
    l: int
    a: int
    b_g1: int
    b_g2: int
    contributions: int
    circuit_hash: Optional[bytes]
    chain: int
    chain_at: int


class Params:
    """An opened .params file. Immutable; any number of threads may use one."""

    def __init__(self, path: str, *, points: int = UNCHECKED, threads: int = 0, progress: Optional[Progress] = None) -> None:
        """Opens and indexes; layout and verifying key are checked, and the other points as points says: UNCHECKED, ON_CURVE,
        IN_GROUP. progress: "points", 0 of 0, ten times a second, while they are checked. Raises Error."""
        error, watch = _Error(), _Watch(progress)
        options = _OpenOptions(C.sizeof(_OpenOptions), points, threads, progress=watch.c)
        self._p = _P()
        watch.end(_lib.cuzk_params_open_with(C.byref(self._p), os.fsencode(path), C.byref(options), C.byref(error)), error)

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            _lib.cuzk_params_close(self._p)

    @property
    def info(self) -> ParamsInfo:
        i = _Info(struct_size=C.sizeof(_Info))
        _raise(_lib.cuzk_params_get_info(C.byref(i), self._p))
        return ParamsInfo(i.public_inputs, i.h, i.l, i.a, i.b_g1, i.b_g2, i.contributions,
                          bytes(i.circuit_hash) if i.has_transcript else None, i.chain, i.chain_at)

    def verifying_key(self) -> VerifyingKey:
        """The key inside; it does not need the file any more. Raises Error."""
        key, error = VerifyingKey.__new__(VerifyingKey), _Error()
        key._p = _P()
        _raise(_lib.cuzk_params_vk(C.byref(key._p), self._p, C.byref(error)), error)
        return key


class ParamsMade(NamedTuple):
    """The compiled circuit: rows, public inputs (ONE not counted), other wires, log2 of the FFT's size, time of compiling."""
    constraints: int
    public_inputs: int
    aux_wires: int
    lg_domain: int
    compile_ns: int


def params_make(folder: str, kind: int, sector_bytes: int, *, insecure_seed: Optional[int] = None, replace: bool = False,
                threads: int = 0, progress: Optional[Progress] = None) -> ParamsMade:
    """Makes parameters for tests and private networks; with insecure_seed the same ones each time. progress: "compiled" once,
    then a section's name and points made. Raises Error."""
    error, watch, made = _Error(), _Watch(progress), _Made(struct_size=C.sizeof(_Made))
    options = _MakeOptions(C.sizeof(_MakeOptions), (insecure_seed is not None) + 2 * replace, insecure_seed or 0, threads,
                           progress=watch.c, made=C.pointer(made))
    watch.end(_lib.cuzk_params_make(os.fsencode(folder), kind, sector_bytes, C.byref(options), C.byref(error)), error)
    return ParamsMade(made.constraints, made.public_inputs, made.aux_wires, made.lg_domain, made.compile_ns)
