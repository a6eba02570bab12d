// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs for a cuzk daemon, by libcuzk-client.
//!
//! ```no_run
//! use cuzk_client::{Call, Client, Options};
//! let client = Client::new(&Options { address: "unix:///run/cuzk/cuzk.sock".into(), ..Options::default() })?;
//! let request = cuzk::Request {
//!     inputs: vec![std::fs::read("vanilla.bin")?],
//!     registered_proof: 3,
//!     miner: 1000,
//!     randomness: [7; 32],
//!     ..cuzk::Request::new(cuzk::Kind::Winning)
//! };
//! let proof = client.prove(&request, "my job", &Call::default())?; // verified by the daemon
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
use std::ffi::{c_void, CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

use cuzk::c::{self, as_ptr, c_path, c_string};
use cuzk::{Error, Request};
use cuzk_sys as base;

mod sys;

/// Why there is no proof.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The call failed: the daemon was not reached, refused an argument, or the call was stopped.
    Call(Error),
    /// The daemon took the job and did not prove it. retryable: a machine is at fault, not the input.
    Job { text: String, retryable: bool, cancelled: bool },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Call(e) => e.fmt(f),
            Failure::Job { text, .. } => f.write_str(text),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Failure::Call(e)
    }
}

type Result<T> = std::result::Result<T, Error>;

/// A path that may be missing.
fn optional_path(path: &Option<PathBuf>) -> Result<Option<CString>> {
    path.as_deref().map(c_path).transpose()
}

/// Milliseconds, at least 1: 0 means "default" in C.
fn ms(d: Duration) -> u64 {
    d.as_millis().clamp(1, u64::MAX as u128) as u64
}

/// Version of the client library that is loaded.
pub fn version() -> &'static str {
    // Safety: a static text.
    unsafe { CStr::from_ptr(sys::cuzk_client_version()) }.to_str().unwrap_or("")
}

/// How to reach a daemon. `None` is the default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// "HOST:PORT", "https://HOST:PORT" (TLS) or "unix:///PATH".
    pub address: String,
    /// Most time for a connection; `None`: ten seconds.
    pub connect: Option<Duration>,
    pub token: Option<String>,
    /// PEM files: authorities, the client's certificate and its key.
    pub tls_ca: Option<PathBuf>,
    pub tls_cert: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    /// Name that the daemon's certificate must have; `None`: the host's.
    pub tls_name: Option<String>,
}

/// Ends calls from another thread: they fail with CUZK_E_CANCELLED, and so do calls to come.
pub struct Stop(*mut c_void);

// Safety: the library allows any thread.
unsafe impl Send for Stop {}
unsafe impl Sync for Stop {}

impl Stop {
    pub fn new() -> Result<Self> {
        let mut p = ptr::null_mut();
        // Safety: p is written on success.
        c::call(|e| unsafe { sys::cuzk_client_stop_create(&mut p, e) })?;
        Ok(Self(p))
    }

    /// Calls that were given this stop end within a tenth of a second.
    pub fn request(&self) {
        // Safety: a valid handle.
        unsafe { sys::cuzk_client_stop_request(self.0) }
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        // Safety: a call that uses it borrows it, so none is running.
        unsafe { sys::cuzk_client_stop_destroy(self.0) }
    }
}

/// How a call is made; the default has no limit of time.
#[derive(Clone, Copy, Default)]
pub struct Call<'a> {
    /// Most time for the call, known to the daemon too.
    pub timeout: Option<Duration>,
    pub stop: Option<&'a Stop>,
}

impl Call<'_> {
    fn c(&self) -> sys::cuzk_client_call {
        sys::cuzk_client_call {
            struct_size: std::mem::size_of::<sys::cuzk_client_call>() as u32,
            reserved: 0,
            timeout_ms: self.timeout.map_or(0, ms),
            stop: self.stop.map_or(ptr::null(), |s| s.0),
        }
    }
}

/// What the daemon says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Proofs since the daemon was started.
    pub completed: u64,
    pub failed: u64,
    pub uptime: Duration,
    pub gpus: u32,
    pub circuits: u32,
}

/// A daemon. Threads may share one.
pub struct Client(*mut c_void);

// Safety: the library allows calls from any thread; destruction has the handle for itself.
unsafe impl Send for Client {}
unsafe impl Sync for Client {}

impl Drop for Client {
    fn drop(&mut self) {
        // Safety: nobody else has it.
        unsafe { sys::cuzk_client_destroy(self.0) }
    }
}

/// The proof of a result, which is destroyed; `None`: the job has not ended.
fn take(r: *mut c_void) -> std::result::Result<Option<Vec<u8>>, Failure> {
    // Safety: r is a result that nobody else has; what it gives is copied before it is destroyed.
    unsafe {
        let out = match sys::cuzk_client_result_outcome(r) {
            sys::CUZK_OUTCOME_COMPLETED => {
                let mut n = 0;
                let proof = sys::cuzk_client_result_proof(r, &mut n);
                Ok(Some(std::slice::from_raw_parts(proof, n).to_vec()))
            }
            sys::CUZK_OUTCOME_TIMEOUT => Ok(None),
            _ => {
                let class = sys::cuzk_client_result_error_class(r);
                Err(Failure::Job {
                    text: CStr::from_ptr(sys::cuzk_client_result_error(r)).to_string_lossy().into_owned(),
                    retryable: class == base::CUZK_CLASS_ENVIRONMENT,
                    cancelled: class == sys::CUZK_CLASS_CANCELLED,
                })
            }
        };
        sys::cuzk_client_result_destroy(r);
        out
    }
}

impl Client {
    /// Connects.
    pub fn new(o: &Options) -> Result<Self> {
        let address = c_string(&o.address)?;
        let (ca, cert, key) = (optional_path(&o.tls_ca)?, optional_path(&o.tls_cert)?, optional_path(&o.tls_key)?);
        let name = o.tls_name.as_ref().map(|s| c_string(s)).transpose()?;
        let token = o.token.as_ref().map(|s| c_string(s)).transpose()?;
        let options = sys::cuzk_client_options {
            struct_size: std::mem::size_of::<sys::cuzk_client_options>() as u32,
            connect_ms: o.connect.map_or(0, ms).min(u32::MAX as u64) as u32,
            address: address.as_ptr(),
            tls_ca: as_ptr(&ca),
            tls_cert: as_ptr(&cert),
            tls_key: as_ptr(&key),
            tls_name: as_ptr(&name),
            token: as_ptr(&token),
        };
        let mut p = ptr::null_mut();
        // Safety: texts are copied by the library.
        c::call(|e| unsafe { sys::cuzk_client_create(&mut p, &options, e) })?;
        Ok(Self(p))
    }

    // Flags that the library of the client refuses are given to it, so that what they ask for is not left out in silence.

    /// Submits and waits: the proof, 192 bytes per partition, which the daemon has verified. `id` is the caller's name for
    /// the job, or "". When the call ends early the job is cancelled, unless another caller waits for it.
    pub fn prove(&self, request: &Request, id: &str, call: &Call) -> std::result::Result<Vec<u8>, Failure> {
        let (id, call) = (c_string(id)?, call.c());
        let mut r = ptr::null_mut();
        // Safety: everything lives during the call.
        c::with_request(request, |q| c::call(|e| unsafe { sys::cuzk_client_prove(&mut r, self.0, &q, id.as_ptr(), &call, e) }))?;
        Ok(take(r)?.expect("only a wait of its own has the outcome TIMEOUT"))
    }

    /// Queues a job, and gives its name.
    pub fn submit(&self, request: &Request, id: &str, call: &Call) -> Result<String> {
        let (id, call) = (c_string(id)?, call.c());
        let mut job: [c_char; sys::CUZK_JOB_NAME_BYTES] = [0; sys::CUZK_JOB_NAME_BYTES];
        // Safety: everything lives during the call; job has the room that the header says.
        c::with_request(request, |q| {
            c::call(|e| unsafe { sys::cuzk_client_submit(job.as_mut_ptr(), ptr::null_mut(), self.0, &q, id.as_ptr(), &call, e) })
        })?;
        // Safety: the library terminates it.
        Ok(unsafe { CStr::from_ptr(job.as_ptr()) }.to_string_lossy().into_owned())
    }

    /// The proof of a job, after at most `wait` (`None`: no limit); `Ok(None)`: not yet.
    pub fn await_proof(&self, job: &str, wait: Option<Duration>, call: &Call) -> std::result::Result<Option<Vec<u8>>, Failure> {
        let (job, call) = (c_string(job)?, call.c());
        let mut r = ptr::null_mut();
        // Safety: everything lives during the call.
        c::call(|e| unsafe { sys::cuzk_client_await(&mut r, self.0, job.as_ptr(), wait.map_or(0, ms), &call, e) })?;
        take(r)
    }

    /// True when the job had been started.
    pub fn cancel(&self, job: &str, call: &Call) -> Result<bool> {
        let (job, call) = (c_string(job)?, call.c());
        let mut was = 0;
        // Safety: everything lives during the call.
        c::call(|e| unsafe { sys::cuzk_client_cancel(&mut was, self.0, job.as_ptr(), &call, e) })?;
        Ok(was == 1)
    }

    /// Loads a circuit ("porep-32g") ahead of need; true: it was loaded already.
    pub fn preload(&self, circuit: &str, call: &Call) -> Result<bool> {
        let (circuit, call) = (c_string(circuit)?, call.c());
        let mut was = 0;
        // Safety: everything lives during the call.
        c::call(|e| unsafe { sys::cuzk_client_preload(&mut was, ptr::null_mut(), self.0, circuit.as_ptr(), &call, e) })?;
        Ok(was == 1)
    }

    /// Drops a circuit: bytes that were given back.
    pub fn evict(&self, circuit: &str, call: &Call) -> Result<u64> {
        let (circuit, call) = (c_string(circuit)?, call.c());
        let mut n = 0;
        // Safety: everything lives during the call.
        c::call(|e| unsafe { sys::cuzk_client_evict(ptr::null_mut(), &mut n, self.0, circuit.as_ptr(), &call, e) })?;
        Ok(n)
    }

    /// Numbers of the daemon's status.
    pub fn totals(&self, call: &Call) -> Result<Totals> {
        let call = call.c();
        let mut status = ptr::null_mut();
        let mut t = sys::cuzk_client_totals { struct_size: std::mem::size_of::<sys::cuzk_client_totals>() as u32, ..Default::default() };
        // Safety: everything lives during the call; the status is destroyed once.
        c::call(|e| unsafe { sys::cuzk_client_get_status(&mut status, self.0, &call, e) })?;
        unsafe {
            sys::cuzk_client_status_totals(&mut t, status); // fails for a wrong struct_size only
            sys::cuzk_client_status_destroy(status);
        }
        let uptime = Duration::from_secs(t.uptime_seconds);
        Ok(Totals { completed: t.completed, failed: t.failed, uptime, gpus: t.n_gpus, circuits: t.n_circuits })
    }

    /// Text in Prometheus' format.
    pub fn metrics(&self, call: &Call) -> Result<String> {
        let call = call.c();
        let mut text = ptr::null_mut();
        // Safety: everything lives during the call; the text is copied and freed.
        c::call(|e| unsafe { sys::cuzk_client_get_metrics(&mut text, self.0, &call, e) })?;
        unsafe {
            let out = CStr::from_ptr(text).to_string_lossy().into_owned();
            sys::cuzk_client_text_free(text);
            Ok(out)
        }
    }

    /// False while the daemon starts or drains.
    pub fn is_serving(&self, call: &Call) -> Result<bool> {
        let call = call.c();
        let mut is = 0;
        // Safety: everything lives during the call.
        c::call(|e| unsafe { sys::cuzk_client_health(&mut is, self.0, &call, e) })?;
        Ok(is == 1)
    }
}
