// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C interface of libcuzk, as `include/cuzk/*.h` declare it; those headers say what each function does.
#![allow(non_camel_case_types)]
use std::os::raw::{c_char, c_int, c_uint, c_void};

pub type cuzk_status = i32;
pub const CUZK_OK: cuzk_status = 0;
pub const CUZK_E_INVALID: cuzk_status = -1;
pub const CUZK_E_CANCELLED: cuzk_status = -5;
pub const CUZK_E_NOT_FOUND: cuzk_status = -8;
pub const CUZK_E_FORMAT: cuzk_status = -10;
pub const CUZK_E_PROOF_FALSE: cuzk_status = -193;
pub const CUZK_E_VANILLA: cuzk_status = -256;
pub const CUZK_CLASS_ENVIRONMENT: i32 = 2;

pub const CUZK_KIND_POREP: i32 = 0;
pub const CUZK_KIND_WINNING: i32 = 1;
pub const CUZK_KIND_WINDOW: i32 = 2;
pub const CUZK_KIND_UPDATE: i32 = 3;
pub const CUZK_KIND_CIRCOM: i32 = 16;

pub const CUZK_PROVE_CHECK_ROWS: u32 = 1;
pub const CUZK_PROVE_ONE_PARTITION: u32 = 2;
pub const CUZK_PROVE_SPANS: u32 = 4;
pub const CUZK_PROVE_BIND_SECTOR: u32 = 8;
pub const CUZK_CLAIM_ONE_PARTITION: u32 = 1;
pub const CUZK_CLAIM_REPLICA_ID: u32 = 2;
pub const CUZK_MAKE_INSECURE_SEED: u32 = 1;
pub const CUZK_MAKE_REPLACE: u32 = 2;
pub const CUZK_CHECK_DIGEST: u32 = 1;
pub const CUZK_CHECK_POINTS: u32 = 2;
pub const CUZK_PARAMS_ABSENT: i32 = 0;
pub const CUZK_PARAMS_WRONG_SIZE: i32 = 1;
pub const CUZK_PARAMS_PRESENT: i32 = 2;
pub const CUZK_PARAMS_CHECKED: i32 = 3;
pub const CUZK_PARAMS_UNREADABLE: i32 = 4;
pub const CUZK_PARAMS_WRONG_DIGEST: i32 = 5;
pub const CUZK_POINTS_UNCHECKED: i32 = 0;
pub const CUZK_POINTS_ON_CURVE: i32 = 1;
pub const CUZK_POINTS_IN_GROUP: i32 = 2;
pub const CUZK_CHAIN_UNCHECKED: i32 = 0;
pub const CUZK_CHAIN_HOLDS: i32 = 1;
pub const CUZK_CHAIN_HASH: i32 = 2;
pub const CUZK_CHAIN_STEP: i32 = 3;
pub const CUZK_CHAIN_DELTA: i32 = 4;
pub const CUZK_AGGREGATE_ANY_SRS: c_int = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_error {
    pub status: i32,
    pub error_class: i32,
    pub os_code: i32,
    pub reserved: i32,
    pub text: [c_char; 496],
}

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}
opaque!(cuzk_vk cuzk_prover cuzk_task cuzk_circom_key cuzk_aggregate_srs cuzk_params cuzk_params_list);

pub type cuzk_progress_fn = Option<unsafe extern "C" fn(*mut c_void, *const c_char, u64, u64) -> i32>;
pub type cuzk_log_fn = Option<unsafe extern "C" fn(*mut c_void, i32, *const c_char)>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_seal_claim {
    pub struct_size: u32,
    pub reserved: u32,
    pub registered_proof: u64,
    pub miner_id: u64,
    pub sector_number: u64,
    pub ticket: [u8; 32],
    pub seed: [u8; 32],
    pub comm_r: [u8; 32],
    pub comm_d: [u8; 32],
    pub flags: u32,
    pub partition: u32,
    pub replica_id: [u8; 32],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_sector {
    pub number: u64,
    pub comm_r: [u8; 32],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_post_claim {
    pub struct_size: u32,
    pub partition: u32,
    pub registered_proof: u64,
    pub sectors: *const cuzk_sector,
    pub n_sectors: usize,
    pub randomness: [u8; 32],
    pub sector_bytes: u64,
    pub kind: i32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_update_claim {
    pub struct_size: u32,
    pub reserved: u32,
    pub registered_proof: u64,
    pub comm_r_old: [u8; 32],
    pub comm_r_new: [u8; 32],
    pub comm_d_new: [u8; 32],
    pub sector_bytes: u64,
    pub flags: u32,
    pub partition: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_params_file {
    pub struct_size: u32,
    pub kind: i32,
    pub name: *const c_char,
    pub cid: *const c_char,
    pub digest: *const c_char,
    pub sector_bytes: u64,
    pub bytes: u64,
    pub kind_name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_params_check_options {
    pub struct_size: u32,
    pub checks: u32,
    pub digest: *const c_char,
    pub threads: u32,
    pub reserved: u32,
    pub progress: cuzk_progress_fn,
    pub progress_arg: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_params_open_options {
    pub struct_size: u32,
    pub points: i32,
    pub threads: u32,
    pub reserved: u32,
    pub progress: cuzk_progress_fn,
    pub progress_arg: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_params_info {
    pub struct_size: u32,
    pub public_inputs: u32,
    pub h: u64,
    pub l: u64,
    pub a: u64,
    pub b_g1: u64,
    pub b_g2: u64,
    pub has_transcript: u32,
    pub contributions: u32,
    pub circuit_hash: [u8; 64],
    pub chain: i32,
    pub chain_at: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_params_made {
    pub struct_size: u32,
    pub lg_domain: u32,
    pub constraints: u64,
    pub public_inputs: u64,
    pub aux_wires: u64,
    pub compile_ns: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_params_make_options {
    pub struct_size: u32,
    pub flags: u32,
    pub seed: u64,
    pub threads: u32,
    pub reserved: u32,
    pub progress: cuzk_progress_fn,
    pub progress_arg: *mut c_void,
    pub made: *mut cuzk_params_made,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_prover_options {
    pub struct_size: u32,
    pub threads: u32,
    pub workers: u32,
    pub reserved: u32,
    pub devices: *const c_char,
    pub params_folder: *const c_char,
    pub memory_bytes: u64,
    pub device_memory_bytes: u64,
    pub log: cuzk_log_fn,
    pub log_arg: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_input {
    pub data: *const u8,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_prove_request {
    pub struct_size: u32,
    pub kind: i32,
    pub flags: u32,
    pub partition: u32,
    pub sector_bytes: u64,
    pub registered_proof: u64,
    pub miner_id: u64,
    pub sector_number: u64,
    pub inputs: *const cuzk_input,
    pub n_inputs: usize,
    pub circom_key: *const cuzk_circom_key,
    pub progress: cuzk_progress_fn,
    pub progress_arg: *mut c_void,
    pub priority: i32,
    pub reserved: u32,
    pub randomness: [u8; 32],
    pub comm_r_old: [u8; 32],
    pub comm_r_new: [u8; 32],
    pub comm_d_new: [u8; 32],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_task_span {
    pub begin_ns: u64,
    pub end_ns: u64,
    pub parent: i32,
    pub partition: i32,
    pub device: i32,
    pub reserved: i32,
    pub name: [c_char; 32],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_aggregate_claim {
    pub inputs: *const u8,
    pub n: usize,
    pub n_inputs: usize,
    pub include: *const u8,
    pub include_bytes: usize,
}

extern "C" {
    pub fn cuzk_version() -> *const c_char;
    pub fn cuzk_status_name(status: cuzk_status) -> *const c_char;
    pub fn cuzk_status_class(status: cuzk_status) -> i32;
    pub fn cuzk_verify_text(result: cuzk_status) -> *const c_char;

    pub fn cuzk_vk_read(out: *mut *mut cuzk_vk, vk: *const u8, vk_bytes: usize) -> cuzk_status;
    pub fn cuzk_vk_read_unsafe(out: *mut *mut cuzk_vk, vk: *const u8, vk_bytes: usize) -> cuzk_status;
    pub fn cuzk_vk_load(out: *mut *mut cuzk_vk, kind: i32, sector_bytes: u64, folder: *const c_char, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_vk_destroy(vk: *mut cuzk_vk);
    pub fn cuzk_vk_n_inputs(vk: *const cuzk_vk) -> usize;
    pub fn cuzk_verify(vk: *const cuzk_vk, proof: *const u8, proof_bytes: usize, inputs: *const u8, n_inputs: usize) -> cuzk_status;
    pub fn cuzk_verify_seal(vk: *const cuzk_vk, proof: *const u8, proof_bytes: usize, claim: *const cuzk_seal_claim, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_verify_post(vk: *const cuzk_vk, proof: *const u8, proof_bytes: usize, claim: *const cuzk_post_claim, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_verify_update(vk: *const cuzk_vk, proof: *const u8, proof_bytes: usize, claim: *const cuzk_update_claim, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_seal_inputs(out: *mut u8, capacity: usize, n: *mut usize, claim: *const cuzk_seal_claim, error: *mut cuzk_error) -> cuzk_status;

    pub fn cuzk_params_count() -> usize;
    pub fn cuzk_params_get(out: *mut cuzk_params_file, index: usize) -> cuzk_status;
    pub fn cuzk_params_state(index: usize, folder: *const c_char) -> i32;
    pub fn cuzk_params_state_name(state: i32) -> *const c_char;
    pub fn cuzk_params_list_read(out: *mut *mut cuzk_params_list, json: *const u8, json_bytes: usize, name: *const c_char, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_list_destroy(list: *mut cuzk_params_list);
    pub fn cuzk_params_list_count(list: *const cuzk_params_list) -> usize;
    pub fn cuzk_params_list_get(out: *mut cuzk_params_file, list: *const cuzk_params_list, index: usize) -> cuzk_status;
    pub fn cuzk_params_list_state(list: *const cuzk_params_list, index: usize, folder: *const c_char) -> i32;
    pub fn cuzk_params_list_note(list: *const cuzk_params_list, index: usize, folder: *const c_char, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_digest(digest: *mut u8, path: *const c_char, progress: cuzk_progress_fn, progress_arg: *mut c_void, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_check(path: *const c_char, options: *const cuzk_params_check_options, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_open(out: *mut *mut cuzk_params, path: *const c_char, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_open_with(out: *mut *mut cuzk_params, path: *const c_char, options: *const cuzk_params_open_options, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_close(p: *mut cuzk_params);
    pub fn cuzk_params_get_info(out: *mut cuzk_params_info, p: *const cuzk_params) -> cuzk_status;
    pub fn cuzk_params_vk(out: *mut *mut cuzk_vk, p: *const cuzk_params, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_params_make(folder: *const c_char, kind: i32, sector_bytes: u64, options: *const cuzk_params_make_options, error: *mut cuzk_error) -> cuzk_status;

    pub fn cuzk_prover_create(out: *mut *mut cuzk_prover, options: *const cuzk_prover_options, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_prover_destroy(p: *mut cuzk_prover);
    pub fn cuzk_prover_load(p: *mut cuzk_prover, kind: i32, sector_bytes: u64, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_prover_unload(p: *mut cuzk_prover, kind: i32, sector_bytes: u64, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_prover_submit(out: *mut *mut cuzk_task, p: *mut cuzk_prover, request: *const cuzk_prove_request, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_task_wait(t: *mut cuzk_task, timeout_ms: i64) -> i32;
    pub fn cuzk_task_cancel(t: *mut cuzk_task);
    pub fn cuzk_task_result(t: *mut cuzk_task, proof: *mut u8, capacity: usize, proof_bytes: *mut usize, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_task_public(t: *mut cuzk_task, out: *mut u8, capacity: usize, n: *mut usize, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_task_spans(t: *mut cuzk_task, out: *mut cuzk_task_span, capacity: usize) -> usize;
    pub fn cuzk_task_destroy(t: *mut cuzk_task);
    pub fn cuzk_circom_key_load(out: *mut *mut cuzk_circom_key, p: *mut cuzk_prover, path: *const c_char, error: *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_circom_key_destroy(k: *mut cuzk_circom_key);
    pub fn cuzk_circom_key_vk(k: *const cuzk_circom_key) -> *const cuzk_vk;

    pub fn cuzk_aggregate_srs_open(out: *mut *mut cuzk_aggregate_srs, path: *const c_char, options: c_int, message: *mut c_char, message_bytes: usize) -> cuzk_status;
    pub fn cuzk_aggregate_srs_close(srs: *mut cuzk_aggregate_srs);
    pub fn cuzk_aggregate_bytes(n: usize) -> usize;
    pub fn cuzk_aggregate_prove(out: *mut u8, srs: *const cuzk_aggregate_srs, vk: *const cuzk_vk, claim: *const cuzk_aggregate_claim, proofs: *const u8, threads: c_uint, message: *mut c_char, message_bytes: usize) -> cuzk_status;
    pub fn cuzk_aggregate_verify(srs: *const cuzk_aggregate_srs, vk: *const cuzk_vk, claim: *const cuzk_aggregate_claim, aggregate: *const u8, aggregate_bytes: usize, options: c_int, message: *mut c_char, message_bytes: usize) -> cuzk_status;
}
