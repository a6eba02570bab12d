// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C interface of libcuzk-client, as `include/cuzk/client.h` declares it.
#![allow(non_camel_case_types)]
use std::os::raw::{c_char, c_void};

use cuzk_sys::{cuzk_error, cuzk_prove_request, cuzk_status};

pub const CUZK_OUTCOME_COMPLETED: i32 = 1;
pub const CUZK_OUTCOME_TIMEOUT: i32 = 4;
pub const CUZK_JOB_NAME_BYTES: usize = 320;
pub const CUZK_CLASS_CANCELLED: i32 = 3;

#[repr(C)]
pub struct cuzk_client_options {
    pub struct_size: u32,
    pub connect_ms: u32,
    pub address: *const c_char,
    pub tls_ca: *const c_char,
    pub tls_cert: *const c_char,
    pub tls_key: *const c_char,
    pub tls_name: *const c_char,
    pub token: *const c_char,
}

#[repr(C)]
pub struct cuzk_client_call {
    pub struct_size: u32,
    pub reserved: u32,
    pub timeout_ms: u64,
    pub stop: *const c_void,
}

#[repr(C)]
#[derive(Default)]
pub struct cuzk_client_totals {
    pub struct_size: u32,
    pub n_gpus: u32,
    pub n_circuits: u32,
    pub n_queues: u32,
    pub n_abilities: u32,
    pub reserved: u32,
    pub completed: u64,
    pub failed: u64,
    pub uptime_seconds: u64,
    pub pinned_bytes: u64,
    pub pinned_limit_bytes: u64,
}

/// Handles are `c_void`: only this crate holds them.
type handle = *mut c_void;

extern "C" {
    pub fn cuzk_client_version() -> *const c_char;
    pub fn cuzk_client_create(out: *mut handle, options: *const cuzk_client_options, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_destroy(c: handle);
    pub fn cuzk_client_stop_create(out: *mut handle, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_stop_request(s: handle);
    pub fn cuzk_client_stop_destroy(s: handle);

    pub fn cuzk_client_submit(job_id: *mut c_char, position: *mut u32, c: handle, request: *const cuzk_prove_request, request_id: *const c_char, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_await(out: *mut handle, c: handle, job_id: *const c_char, wait_ms: u64, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_prove(out: *mut handle, c: handle, request: *const cuzk_prove_request, request_id: *const c_char, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_cancel(was_running: *mut i32, c: handle, job_id: *const c_char, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_result_outcome(r: handle) -> i32;
    pub fn cuzk_client_result_proof(r: handle, bytes: *mut usize) -> *const u8;
    pub fn cuzk_client_result_error(r: handle) -> *const c_char;
    pub fn cuzk_client_result_error_class(r: handle) -> i32;
    pub fn cuzk_client_result_destroy(r: handle);

    pub fn cuzk_client_preload(was_loaded: *mut i32, load_ms: *mut u64, c: handle, circuit_id: *const c_char, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_evict(was_loaded: *mut i32, freed_bytes: *mut u64, c: handle, circuit_id: *const c_char, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_get_status(out: *mut handle, c: handle, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_status_destroy(s: handle);
    pub fn cuzk_client_status_totals(out: *mut cuzk_client_totals, s: handle) -> cuzk_status;
    pub fn cuzk_client_get_metrics(text: *mut *mut c_char, c: handle, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_client_text_free(text: *mut c_char);
    pub fn cuzk_client_health(is_serving: *mut i32, c: handle, call: *const cuzk_client_call, error: *mut cuzk_error) -> cuzk_status;
}
