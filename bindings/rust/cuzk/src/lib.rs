// SPDX-License-Identifier: MIT OR Apache-2.0
//! libcuzk in Rust: Groth16 proofs over BLS12-381 of Filecoin and circom, and their verification.
//!
//! Bytes in, `Result` out. Handles free themselves, may be shared between threads, and may be dropped in any order.
//!
//! ```no_run
//! let key = cuzk::VerifyingKey::from_bytes(&std::fs::read("circuit.vk")?)?;
//! key.verify(&std::fs::read("proof")?, &[[7; 32]])?; // Ok(()): proven
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::path::Path;
use std::time::Duration;
use std::{fmt, ptr};

use cuzk_sys as sys;

#[doc(hidden)]
pub mod c;
mod params;
mod prove;
use c::{as_ptr, c_path, c_string, call};
pub use params::{
    check_params, make_params, params_digest, Chain, ParamsMake, ParamsOpen, Params, ParamsCheck, ParamsFile, ParamsInfo, ParamsList,
    ParamsMade, ParamsState, Points, Transcript,
};
pub use prove::{CircomKey, Options, Prover, Request, Span, Task};

/// Bytes of the proof of one partition.
pub const PROOF_BYTES: usize = 192;

/// A kind of Filecoin's proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    PoRep = sys::CUZK_KIND_POREP,
    Winning = sys::CUZK_KIND_WINNING,
    Window = sys::CUZK_KIND_WINDOW,
    Update = sys::CUZK_KIND_UPDATE,
}

/// A failed call.
#[derive(Clone, Debug)]
pub struct Error {
    /// `CUZK_E_...` of cuzk/cuzk.h.
    pub status: i32,
    /// The machine is at fault, not the input: the same call may succeed later or elsewhere.
    pub retryable: bool,
    pub text: String,
}

impl Error {
    /// "CUZK_E_VANILLA".
    pub fn name(&self) -> &'static str {
        // Safety: the library gives a static text for every number.
        unsafe { CStr::from_ptr(sys::cuzk_status_name(self.status)) }.to_str().unwrap_or("CUZK_E_UNKNOWN")
    }

    fn invalid(text: &str) -> Error {
        Error { status: sys::CUZK_E_INVALID, retryable: false, text: text.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.text)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// The result of a function of cuzk/verify.h, which fills no error.
fn verdict(status: sys::cuzk_status) -> Result<()> {
    if status == sys::CUZK_OK {
        return Ok(());
    }
    // Safety: static texts for every number.
    let text = unsafe { CStr::from_ptr(sys::cuzk_verify_text(status)) }.to_string_lossy().into_owned();
    let retryable = unsafe { sys::cuzk_status_class(status) } == sys::CUZK_CLASS_ENVIRONMENT;
    Err(Error { status, retryable, text })
}

/// Version of the library that is loaded.
pub fn version() -> &'static str {
    // Safety: a static text.
    unsafe { CStr::from_ptr(sys::cuzk_version()) }.to_str().unwrap_or("")
}

/// What a PoRep proof says. `seed` is not read for non-interactive types.
#[derive(Clone, Copy, Debug, Default)]
pub struct SealClaim {
    pub registered_proof: u64,
    pub miner: u64,
    pub sector: u64,
    pub ticket: [u8; 32],
    pub seed: [u8; 32],
    pub comm_r: [u8; 32],
    pub comm_d: [u8; 32],
    /// The proof is of this partition alone: 192 bytes.
    pub partition: Option<u32>,
    /// In place of `miner`, `sector` and `ticket`.
    pub replica_id: Option<[u8; 32]>,
}

impl SealClaim {
    fn c(&self) -> sys::cuzk_seal_claim {
        let (mut flags, partition) = part(self.partition);
        if self.replica_id.is_some() {
            flags |= sys::CUZK_CLAIM_REPLICA_ID;
        }
        sys::cuzk_seal_claim {
            struct_size: std::mem::size_of::<sys::cuzk_seal_claim>() as u32,
            reserved: 0,
            registered_proof: self.registered_proof,
            miner_id: self.miner,
            sector_number: self.sector,
            ticket: self.ticket,
            seed: self.seed,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            flags,
            partition,
            replica_id: self.replica_id.unwrap_or_default(),
        }
    }

    /// Public inputs of the claim's partitions, one after another: 32 bytes each, little-endian.
    pub fn public_inputs(&self) -> Result<Vec<[u8; 32]>> {
        let c = self.c();
        let mut n = 0;
        // Safety: no capacity, so that nothing is written but n.
        let _ = call(|e| unsafe { sys::cuzk_seal_inputs(ptr::null_mut(), 0, &mut n, &c, e) });
        let mut out = vec![[0; 32]; n];
        // Safety: n numbers of 32 bytes.
        call(|e| unsafe { sys::cuzk_seal_inputs(out.as_mut_ptr().cast(), n, &mut n, &c, e) })?;
        Ok(out)
    }
}

/// Flag and number of a claim of one partition; `None`: all of them.
fn part(partition: Option<u32>) -> (u32, u32) {
    partition.map_or((0, 0), |k| (sys::CUZK_CLAIM_ONE_PARTITION, k))
}

/// What a WinningPoSt or one partition of a WindowPoSt says; sectors are number and comm_r.
#[derive(Clone, Debug, Default)]
pub struct PostClaim {
    pub registered_proof: u64,
    pub partition: u32,
    pub randomness: [u8; 32],
    pub sectors: Vec<(u64, [u8; 32])>,
    /// In place of `registered_proof`, for sizes that have no registered type: `Kind::Winning` or `Kind::Window`, and bytes.
    pub by_size: Option<(Kind, u64)>,
}

/// What a SnapDeals proof says.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateClaim {
    pub registered_proof: u64,
    pub comm_r_old: [u8; 32],
    pub comm_r_new: [u8; 32],
    pub comm_d_new: [u8; 32],
    /// In place of `registered_proof`, for sizes that have no registered type; 0: `registered_proof` counts.
    pub sector_bytes: u64,
    /// The proof is of this partition alone: 192 bytes.
    pub partition: Option<u32>,
}

/// What proofs of one circuit are verified with.
pub struct VerifyingKey(*mut sys::cuzk_vk);

// Safety: immutable once made; the library allows any thread.
unsafe impl Send for VerifyingKey {}
unsafe impl Sync for VerifyingKey {}

impl Drop for VerifyingKey {
    fn drop(&mut self) {
        // Safety: made by the library, and nobody else has it.
        unsafe { sys::cuzk_vk_destroy(self.0) }
    }
}

fn verify_with(vk: *const sys::cuzk_vk, proof: &[u8], inputs: &[[u8; 32]]) -> Result<()> {
    // Safety: an array of arrays has no gaps.
    verdict(unsafe { sys::cuzk_verify(vk, proof.as_ptr(), proof.len(), inputs.as_ptr().cast(), inputs.len()) })
}

impl VerifyingKey {
    /// Parses the bytes of a `.vk` file.
    pub fn from_bytes(vk: &[u8]) -> Result<Self> {
        let mut p = ptr::null_mut();
        // Safety: the bytes are read during the call only.
        verdict(unsafe { sys::cuzk_vk_read(&mut p, vk.as_ptr(), vk.len()) })?;
        Ok(Self(p))
    }

    /// From the folder of the network's parameters; None is the usual one.
    pub fn load(kind: Kind, sector_bytes: u64, folder: Option<&Path>) -> Result<Self> {
        let mut p = ptr::null_mut();
        let folder = folder.map(c_path).transpose()?;
        // Safety: the text lives during the call.
        call(|e| unsafe { sys::cuzk_vk_load(&mut p, kind as i32, sector_bytes, as_ptr(&folder), e) })?;
        Ok(Self(p))
    }

    /// Number of public inputs.
    pub fn inputs(&self) -> usize {
        // Safety: a valid key.
        unsafe { sys::cuzk_vk_n_inputs(self.0) }
    }

    /// `Ok` when the proof is proven for the public inputs, each 32 bytes, little-endian.
    pub fn verify(&self, proof: &[u8], inputs: &[[u8; 32]]) -> Result<()> {
        verify_with(self.0, proof, inputs)
    }

    /// `Ok` when the claim's partitions of a PoRep are proven.
    pub fn verify_seal(&self, proof: &[u8], claim: &SealClaim) -> Result<()> {
        let c = claim.c();
        // Safety: everything lives during the call.
        call(|e| unsafe { sys::cuzk_verify_seal(self.0, proof.as_ptr(), proof.len(), &c, e) })
    }

    /// `Ok` when a WinningPoSt or one partition of a WindowPoSt is proven.
    pub fn verify_post(&self, proof: &[u8], claim: &PostClaim) -> Result<()> {
        let sectors: Vec<_> = claim.sectors.iter().map(|&(number, comm_r)| sys::cuzk_sector { number, comm_r }).collect();
        let c = sys::cuzk_post_claim {
            struct_size: std::mem::size_of::<sys::cuzk_post_claim>() as u32,
            partition: claim.partition,
            registered_proof: claim.registered_proof,
            sectors: sectors.as_ptr(),
            n_sectors: sectors.len(),
            randomness: claim.randomness,
            sector_bytes: claim.by_size.map_or(0, |(_, bytes)| bytes),
            kind: claim.by_size.map_or(0, |(kind, _)| kind as i32),
            reserved: 0,
        };
        // Safety: everything lives during the call.
        call(|e| unsafe { sys::cuzk_verify_post(self.0, proof.as_ptr(), proof.len(), &c, e) })
    }

    /// `Ok` when the claim's partitions of an update are proven.
    pub fn verify_update(&self, proof: &[u8], claim: &UpdateClaim) -> Result<()> {
        let (flags, partition) = part(claim.partition);
        let c = sys::cuzk_update_claim {
            struct_size: std::mem::size_of::<sys::cuzk_update_claim>() as u32,
            reserved: 0,
            registered_proof: claim.registered_proof,
            comm_r_old: claim.comm_r_old,
            comm_r_new: claim.comm_r_new,
            comm_d_new: claim.comm_d_new,
            sector_bytes: claim.sector_bytes,
            flags,
            partition,
        };
        // Safety: everything lives during the call.
        call(|e| unsafe { sys::cuzk_verify_update(self.0, proof.as_ptr(), proof.len(), &c, e) })
    }
}
