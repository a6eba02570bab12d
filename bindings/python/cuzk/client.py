# SPDX-License-Identifier: MIT OR Apache-2.0
"""Jobs for a daemon, by libcuzk-client: `cuzk.client.Client("unix:///run/cuzk/cuzk.sock").prove(...)`.

The library libcuzk-client.so.0 is found by the dynamic loader, or at the path in the environment variable
CUZK_CLIENT_LIBRARY. The package needs libcuzk.so.0 as well.
"""
from __future__ import annotations

import ctypes as C
import os
from typing import NamedTuple, Optional, Sequence

from . import _Error, _Input, _ProveRequest, _raise, _set_fields

__all__ = ["Client", "Failed", "Stop", "Totals", "version"]

_lib = C.CDLL(os.environ.get("CUZK_CLIENT_LIBRARY", "libcuzk-client.so.0"))
_JOB_NAME_BYTES = 320
_COMPLETED, _TIMEOUT = 1, 4
_ENVIRONMENT, _CANCELLED = 2, 3  # CUZK_CLASS_...


class _Options(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("connect_ms", C.c_uint32), ("address", C.c_char_p), ("tls_ca", C.c_char_p),
                ("tls_cert", C.c_char_p), ("tls_key", C.c_char_p), ("tls_name", C.c_char_p), ("token", C.c_char_p)]


class _Call(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("reserved", C.c_uint32), ("timeout_ms", C.c_uint64), ("stop", C.c_void_p)]


class _Totals(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("n_gpus", C.c_uint32), ("n_circuits", C.c_uint32), ("n_queues", C.c_uint32),
                ("n_abilities", C.c_uint32), ("reserved", C.c_uint32), ("completed", C.c_uint64), ("failed", C.c_uint64),
                ("uptime_seconds", C.c_uint64), ("pinned_bytes", C.c_uint64), ("pinned_limit_bytes", C.c_uint64)]


def _declare(name: str, result, *arguments) -> None:
    f = getattr(_lib, name)
    f.restype, f.argtypes = result, list(arguments)


_P, _S, _E, _I = C.c_void_p, C.c_size_t, C.POINTER(_Error), C.POINTER(C.c_int32)
_CALL = C.POINTER(_Call)
_declare("cuzk_client_version", C.c_char_p)
_declare("cuzk_client_create", C.c_int32, C.POINTER(_P), C.POINTER(_Options), _E)
_declare("cuzk_client_destroy", None, _P)
_declare("cuzk_client_stop_create", C.c_int32, C.POINTER(_P), _E)
_declare("cuzk_client_stop_request", None, _P)
_declare("cuzk_client_stop_destroy", None, _P)
_declare("cuzk_client_submit", C.c_int32, C.c_char_p, C.POINTER(C.c_uint32), _P, C.POINTER(_ProveRequest), C.c_char_p, _CALL, _E)
_declare("cuzk_client_await", C.c_int32, C.POINTER(_P), _P, C.c_char_p, C.c_uint64, _CALL, _E)
_declare("cuzk_client_prove", C.c_int32, C.POINTER(_P), _P, C.POINTER(_ProveRequest), C.c_char_p, _CALL, _E)
_declare("cuzk_client_cancel", C.c_int32, _I, _P, C.c_char_p, _CALL, _E)
_declare("cuzk_client_result_outcome", C.c_int32, _P)
_declare("cuzk_client_result_proof", _P, _P, C.POINTER(_S))
_declare("cuzk_client_result_error", C.c_char_p, _P)
_declare("cuzk_client_result_error_class", C.c_int32, _P)
_declare("cuzk_client_result_destroy", None, _P)
_declare("cuzk_client_preload", C.c_int32, _I, C.POINTER(C.c_uint64), _P, C.c_char_p, _CALL, _E)
_declare("cuzk_client_evict", C.c_int32, _I, C.POINTER(C.c_uint64), _P, C.c_char_p, _CALL, _E)
_declare("cuzk_client_get_status", C.c_int32, C.POINTER(_P), _P, _CALL, _E)
_declare("cuzk_client_status_destroy", None, _P)
_declare("cuzk_client_status_totals", C.c_int32, C.POINTER(_Totals), _P)
_declare("cuzk_client_get_metrics", C.c_int32, C.POINTER(_P), _P, _CALL, _E)
_declare("cuzk_client_text_free", None, _P)
_declare("cuzk_client_health", C.c_int32, _I, _P, _CALL, _E)


class Failed(Exception):
    """A job that the daemon took and did not prove. retryable: a machine is at fault, not the input; cancelled."""

    def __init__(self, text: str, error_class: int) -> None:
        super().__init__(text)
        self.retryable, self.cancelled = error_class == _ENVIRONMENT, error_class == _CANCELLED


class Totals(NamedTuple):
    """What the daemon says of itself."""
    completed: int
    failed: int
    uptime_seconds: int
    n_gpus: int
    n_circuits: int


class Stop:
    """Ends calls from another thread: they raise Error with the status CUZK_E_CANCELLED."""

    def __init__(self) -> None:
        self._p, error = _P(), _Error()
        _raise(_lib.cuzk_client_stop_create(C.byref(self._p), C.byref(error)), error)

    def request(self) -> None:
        """Ends the calls that were given this stop, and those to come."""
        _lib.cuzk_client_stop_request(self._p)

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            _lib.cuzk_client_stop_destroy(self._p)


def version() -> str:
    """Version of the client library that is loaded."""
    return _lib.cuzk_client_version().decode()


def _call(seconds: Optional[float], stop: Optional[Stop]) -> _Call:
    ms = 0 if seconds is None else max(1, int(seconds * 1000))
    return _Call(C.sizeof(_Call), 0, ms, stop._p if stop is not None else None)


def _request(kind: int, inputs: Sequence[bytes], priority: int, fields: dict) -> _ProveRequest:
    array = (_Input * len(inputs))(*[_Input(bytes(x), len(x)) for x in inputs])
    request = _ProveRequest(C.sizeof(_ProveRequest), kind, inputs=array, n_inputs=len(inputs), priority=priority)
    _set_fields(request, fields)
    request._keep = array
    return request


def _proof(result: C.c_void_p) -> Optional[bytes]:
    """The proof of a result, which is destroyed; None: the job has not ended."""
    try:
        outcome, n = _lib.cuzk_client_result_outcome(result), _S(0)
        if outcome == _TIMEOUT:
            return None
        if outcome != _COMPLETED:
            raise Failed(_lib.cuzk_client_result_error(result).decode(errors="replace"), _lib.cuzk_client_result_error_class(result))
        address = _lib.cuzk_client_result_proof(result, C.byref(n))
        return C.string_at(address, n.value)
    finally:
        _lib.cuzk_client_result_destroy(result)


class Client:
    """A daemon. Any number of threads may use one. Every call takes seconds (most time for it) and stop."""

    def __init__(self, address: str, *, token: Optional[str] = None, tls_ca: Optional[str] = None, tls_cert: Optional[str] = None,
                 tls_key: Optional[str] = None, tls_name: Optional[str] = None, connect_seconds: float = 10) -> None:
        self._p, error = _P(), _Error()
        texts = [x.encode() if x is not None else None for x in (address, tls_ca, tls_cert, tls_key, tls_name, token)]
        options = _Options(C.sizeof(_Options), max(1, int(connect_seconds * 1000)), *texts)
        _raise(_lib.cuzk_client_create(C.byref(self._p), C.byref(options), C.byref(error)), error)

    def close(self) -> None:
        """Closes the connections; no other call may run."""
        if getattr(self, "_p", None):
            _lib.cuzk_client_destroy(self._p)
            self._p = None

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def submit(self, kind: int, inputs: Sequence[bytes], *, request_id: str = "", priority: int = 0, seconds: Optional[float] = None,
               stop: Optional[Stop] = None, **fields: object) -> str:
        """Queues a job, and gives its name. fields: as for cuzk.Prover.submit."""
        call, request, error = _call(seconds, stop), _request(kind, inputs, priority, fields), _Error()
        job = C.create_string_buffer(_JOB_NAME_BYTES)
        _raise(_lib.cuzk_client_submit(job, None, self._p, C.byref(request), request_id.encode(), C.byref(call), C.byref(error)), error)
        return job.value.decode()

    def wait(self, job: str, wait_seconds: float = 0, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> Optional[bytes]:
        """The proof of a job, after at most wait_seconds (0: no limit); None: not yet. Raises Failed."""
        call, result, error = _call(seconds, stop), _P(), _Error()
        _raise(_lib.cuzk_client_await(C.byref(result), self._p, job.encode(), int(wait_seconds * 1000), C.byref(call), C.byref(error)), error)
        return _proof(result)

    def prove(self, kind: int, inputs: Sequence[bytes], *, request_id: str = "", priority: int = 0, seconds: Optional[float] = None,
              stop: Optional[Stop] = None, **fields: object) -> bytes:
        """The proof, 192 bytes per partition, which the daemon has verified. Raises Failed."""
        call, request, result, error = _call(seconds, stop), _request(kind, inputs, priority, fields), _P(), _Error()
        _raise(_lib.cuzk_client_prove(C.byref(result), self._p, C.byref(request), request_id.encode(), C.byref(call), C.byref(error)), error)
        proof = _proof(result)
        assert proof is not None  # TIMEOUT is of wait alone
        return proof

    def cancel(self, job: str, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> bool:
        """True when the job had been started."""
        call, was_running, error = _call(seconds, stop), C.c_int32(0), _Error()
        _raise(_lib.cuzk_client_cancel(C.byref(was_running), self._p, job.encode(), C.byref(call), C.byref(error)), error)
        return was_running.value == 1

    def preload(self, circuit: str, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> bool:
        """Loads a circuit ("porep-32g") ahead of need; True: it was loaded already."""
        call, was_loaded, error = _call(seconds, stop), C.c_int32(0), _Error()
        _raise(_lib.cuzk_client_preload(C.byref(was_loaded), None, self._p, circuit.encode(), C.byref(call), C.byref(error)), error)
        return was_loaded.value == 1

    def evict(self, circuit: str, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> int:
        """Bytes that were given back."""
        call, n, error = _call(seconds, stop), C.c_uint64(0), _Error()
        _raise(_lib.cuzk_client_evict(None, C.byref(n), self._p, circuit.encode(), C.byref(call), C.byref(error)), error)
        return n.value

    def totals(self, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> Totals:
        """Numbers of the daemon's status."""
        call, status, totals, error = _call(seconds, stop), _P(), _Totals(C.sizeof(_Totals)), _Error()
        _raise(_lib.cuzk_client_get_status(C.byref(status), self._p, C.byref(call), C.byref(error)), error)
        _lib.cuzk_client_status_totals(C.byref(totals), status)
        _lib.cuzk_client_status_destroy(status)
        return Totals(totals.completed, totals.failed, totals.uptime_seconds, totals.n_gpus, totals.n_circuits)

    def metrics(self, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> str:
        """Text in Prometheus' format."""
        call, text, error = _call(seconds, stop), _P(), _Error()
        _raise(_lib.cuzk_client_get_metrics(C.byref(text), self._p, C.byref(call), C.byref(error)), error)
        out = C.string_at(text.value or 0).decode(errors="replace")
        _lib.cuzk_client_text_free(text)
        return out

    def is_serving(self, *, seconds: Optional[float] = None, stop: Optional[Stop] = None) -> bool:
        """False while the daemon starts or drains."""
        call, flag, error = _call(seconds, stop), C.c_int32(0), _Error()
        _raise(_lib.cuzk_client_health(C.byref(flag), self._p, C.byref(call), C.byref(error)), error)
        return flag.value == 1
