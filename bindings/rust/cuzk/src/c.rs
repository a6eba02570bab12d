// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust values in C's form, for this crate and cuzk-client; no part of the interface, so that it may change.
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;

use cuzk_sys as sys;

use crate::{Error, Request, Result};

/// Runs a function of the library that fills an error.
pub fn call(f: impl FnOnce(*mut sys::cuzk_error) -> sys::cuzk_status) -> Result<()> {
    let mut e = sys::cuzk_error { status: 0, error_class: 0, os_code: 0, reserved: 0, text: [0; 496] };
    let status = f(&mut e);
    if status == sys::CUZK_OK {
        return Ok(());
    }
    // Safety: the text is terminated.
    let text = unsafe { CStr::from_ptr(e.text.as_ptr()) }.to_string_lossy().into_owned();
    Err(Error { status, retryable: e.error_class == sys::CUZK_CLASS_ENVIRONMENT, text })
}

pub fn c_string(s: &str) -> Result<CString> {
    CString::new(s).map_err(|_| Error::invalid("a text has a zero byte"))
}

pub fn c_path(p: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(p.as_os_str().as_bytes()).map_err(|_| Error::invalid("a path has a zero byte"))
}

/// NULL for `None`.
pub fn as_ptr(s: &Option<CString>) -> *const c_char {
    s.as_ref().map_or(ptr::null(), |s| s.as_ptr())
}

/// Runs `f` with a request in C's form, without circom_key and progress function. Its inputs are the bytes of `r`; the array
/// of them lives during `f` only.
pub fn with_request<T>(r: &Request, f: impl FnOnce(sys::cuzk_prove_request) -> T) -> T {
    let inputs: Vec<_> = r.inputs.iter().map(|x| sys::cuzk_input { data: x.as_ptr(), size: x.len() }).collect();
    f(sys::cuzk_prove_request {
        struct_size: std::mem::size_of::<sys::cuzk_prove_request>() as u32,
        kind: r.kind as i32,
        flags: (if r.check_rows { sys::CUZK_PROVE_CHECK_ROWS } else { 0 })
            | (if r.one_partition { sys::CUZK_PROVE_ONE_PARTITION } else { 0 })
            | (if r.bind_sector { sys::CUZK_PROVE_BIND_SECTOR } else { 0 })
            | (if r.spans { sys::CUZK_PROVE_SPANS } else { 0 }),
        partition: r.partition,
        sector_bytes: r.sector_bytes,
        registered_proof: r.registered_proof,
        miner_id: r.miner,
        sector_number: r.sector,
        inputs: inputs.as_ptr(),
        n_inputs: inputs.len(),
        circom_key: ptr::null(),
        progress: None,
        progress_arg: ptr::null_mut(),
        priority: r.priority,
        reserved: 0,
        randomness: r.randomness,
        comm_r_old: r.comm_r_old,
        comm_r_new: r.comm_r_new,
        comm_d_new: r.comm_d_new,
    })
}
