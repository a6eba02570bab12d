// SPDX-License-Identifier: MIT OR Apache-2.0
//! Provers and their tasks.
use super::*;

/// Zero values and `None` are defaults.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub threads: u32,
    pub workers: u32,
    /// "auto", "cpu", "cuda", "cuda:0,2".
    pub devices: Option<String>,
    pub params_folder: Option<std::path::PathBuf>,
    pub memory_bytes: u64,
    pub device_memory_bytes: u64,
}

/// Threads, devices and loaded keys. Every proof is verified before it is given.
pub struct Prover(*mut sys::cuzk_prover);

// Safety: the library allows calls from any thread; destruction has the handle for itself.
unsafe impl Send for Prover {}
unsafe impl Sync for Prover {}

impl Drop for Prover {
    fn drop(&mut self) {
        // Safety: nobody else has it. Tasks and keys outlive it if need be.
        unsafe { sys::cuzk_prover_destroy(self.0) }
    }
}

impl Prover {
    pub fn new(o: &Options) -> Result<Self> {
        let devices = o.devices.as_deref().map(c_string).transpose()?;
        let folder = o.params_folder.as_deref().map(c_path).transpose()?;
        let options = sys::cuzk_prover_options {
            struct_size: std::mem::size_of::<sys::cuzk_prover_options>() as u32,
            threads: o.threads,
            workers: o.workers,
            reserved: 0,
            devices: as_ptr(&devices),
            params_folder: as_ptr(&folder),
            memory_bytes: o.memory_bytes,
            device_memory_bytes: o.device_memory_bytes,
            log: None,
            log_arg: ptr::null_mut(),
        };
        let mut p = ptr::null_mut();
        // Safety: texts are copied by the library.
        call(|e| unsafe { sys::cuzk_prover_create(&mut p, &options, e) })?;
        Ok(Self(p))
    }

    /// Loads circuit and parameters now, and keeps them.
    pub fn load(&self, kind: Kind, sector_bytes: u64) -> Result<()> {
        // Safety: a valid prover.
        call(|e| unsafe { sys::cuzk_prover_load(self.0, kind as i32, sector_bytes, e) })
    }

    /// Gives back what `load` or a task loaded.
    pub fn unload(&self, kind: Kind, sector_bytes: u64) -> Result<()> {
        // Safety: a valid prover.
        call(|e| unsafe { sys::cuzk_prover_unload(self.0, kind as i32, sector_bytes, e) })
    }

    /// Loads a snarkjs `.zkey` over BLS12-381.
    pub fn circom_key(&self, path: &Path) -> Result<CircomKey> {
        let path = c_path(path)?;
        let mut k = ptr::null_mut();
        // Safety: the text lives during the call.
        call(|e| unsafe { sys::cuzk_circom_key_load(&mut k, self.0, path.as_ptr(), e) })?;
        Ok(CircomKey(k))
    }

    /// Queues a job.
    pub fn submit(&self, request: Request) -> Result<Task> {
        self.submit_kind(request.kind as i32, ptr::null(), request)
    }

    /// Queues a proof of the bytes of a `.wtns` file.
    pub fn submit_circom(&self, key: &CircomKey, witness: Vec<u8>) -> Result<Task> {
        let request = Request { inputs: vec![witness], ..Request::new(Kind::PoRep) };
        self.submit_kind(sys::CUZK_KIND_CIRCOM, key.0, request)
    }

    /// Submits, and waits: 192 bytes per partition.
    pub fn prove(&self, request: Request) -> Result<Vec<u8>> {
        self.submit(request)?.result()
    }

    fn submit_kind(&self, kind: i32, key: *const sys::cuzk_circom_key, mut r: Request) -> Result<Task> {
        let mut progress = r.progress.take().map(Box::new);
        let mut t = ptr::null_mut();
        // Safety: the task owns the bytes of the inputs and the closure, which stay where they are on the heap until
        // it is destroyed; the array is copied.
        c::with_request(&r, |mut request| {
            request.kind = kind;
            request.circom_key = key;
            if let Some(p) = &mut progress {
                request.progress = Some(on_progress);
                request.progress_arg = (&mut **p as *mut Progress).cast();
            }
            call(|e| unsafe { sys::cuzk_prover_submit(&mut t, self.0, &request, e) })
        })?;
        Ok(Task { t, _inputs: r.inputs, _progress: progress })
    }
}

type Progress = Box<dyn FnMut(&str, u64, u64) -> bool + Send>;

unsafe extern "C" fn on_progress(arg: *mut c_void, step: *const c_char, done: u64, total: u64) -> i32 {
    // Safety: arg is the closure that the task owns; the library calls it from one thread at a time.
    let f = &mut *arg.cast::<Progress>();
    let step = CStr::from_ptr(step).to_string_lossy();
    // a panic must not cross the library: it cancels
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&step, done, total))).map_or(1, |stop| stop as i32)
}

/// What to prove: `cuzk_prove_request` of cuzk/prove.h.
pub struct Request {
    pub kind: Kind,
    pub inputs: Vec<Vec<u8>>,
    pub check_rows: bool,
    pub one_partition: bool,
    pub bind_sector: bool,
    pub spans: bool,
    pub partition: u32,
    pub sector_bytes: u64,
    pub registered_proof: u64,
    pub miner: u64,
    pub sector: u64,
    pub priority: i32,
    pub randomness: [u8; 32],
    pub comm_r_old: [u8; 32],
    pub comm_r_new: [u8; 32],
    pub comm_d_new: [u8; 32],
    /// Called with step, done and total from a thread of the library; true cancels.
    pub progress: Option<Box<dyn FnMut(&str, u64, u64) -> bool + Send>>,
}

impl Request {
    /// All other fields zero.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            inputs: Vec::new(),
            check_rows: false,
            one_partition: false,
            bind_sector: false,
            spans: false,
            partition: 0,
            sector_bytes: 0,
            registered_proof: 0,
            miner: 0,
            sector: 0,
            priority: 0,
            randomness: [0; 32],
            comm_r_old: [0; 32],
            comm_r_new: [0; 32],
            comm_d_new: [0; 32],
            progress: None,
        }
    }
}

/// A loaded `.zkey`. Tasks that use it keep it.
pub struct CircomKey(*mut sys::cuzk_circom_key);

// Safety: immutable once made.
unsafe impl Send for CircomKey {}
unsafe impl Sync for CircomKey {}

impl Drop for CircomKey {
    fn drop(&mut self) {
        // Safety: nobody else has this handle.
        unsafe { sys::cuzk_circom_key_destroy(self.0) }
    }
}

impl CircomKey {
    /// As `VerifyingKey::verify`, with the key inside.
    pub fn verify(&self, proof: &[u8], inputs: &[[u8; 32]]) -> Result<()> {
        // Safety: the verifying key lives as long as self.
        verify_with(unsafe { sys::cuzk_circom_key_vk(self.0) }, proof, inputs)
    }
}

/// A step of a task; times are CLOCK_MONOTONIC in nanoseconds.
#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Index of the step around it.
    pub parent: Option<usize>,
}

/// A submitted job. Dropping it cancels it and waits for its end.
pub struct Task {
    t: *mut sys::cuzk_task,
    _inputs: Vec<Vec<u8>>,
    _progress: Option<Box<Progress>>,
}

// Safety: the library allows calls from any thread; the closure is Send and not called through self.
unsafe impl Send for Task {}
unsafe impl Sync for Task {}

impl Drop for Task {
    fn drop(&mut self) {
        // Safety: nobody else has it; inputs and closure are dropped afterwards.
        unsafe { sys::cuzk_task_destroy(self.t) }
    }
}

impl Task {
    /// True when the task has ended; `None` waits for ever.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        let ms = timeout.map_or(-1, |d| d.as_millis().min(i64::MAX as u128) as i64);
        // Safety: a valid task.
        unsafe { sys::cuzk_task_wait(self.t, ms) == 1 }
    }

    /// Asks the task to stop.
    pub fn cancel(&self) {
        // Safety: a valid task.
        unsafe { sys::cuzk_task_cancel(self.t) }
    }

    /// Waits, and gives the proof: 192 bytes per partition.
    pub fn result(&self) -> Result<Vec<u8>> {
        self.wait(None);
        let mut out = vec![0; 256 * PROOF_BYTES];
        let mut n = 0;
        // Safety: out has the capacity that is said.
        call(|e| unsafe { sys::cuzk_task_result(self.t, out.as_mut_ptr(), out.len(), &mut n, e) })?;
        out.truncate(n);
        Ok(out)
    }

    /// Public inputs of a circom task.
    pub fn public_inputs(&self) -> Result<Vec<[u8; 32]>> {
        self.wait(None);
        let mut n = 0;
        // Safety: no capacity, so that nothing is written but n.
        let _ = call(|e| unsafe { sys::cuzk_task_public(self.t, ptr::null_mut(), 0, &mut n, e) });
        let mut out = vec![[0; 32]; n];
        // Safety: n numbers of 32 bytes.
        call(|e| unsafe { sys::cuzk_task_public(self.t, out.as_mut_ptr().cast(), n, &mut n, e) })?;
        Ok(out)
    }

    /// Steps of an ended task whose request had `spans`.
    pub fn spans(&self) -> Vec<Span> {
        // Safety: the second call has the capacity that is said, and zero bytes are a valid span.
        unsafe {
            let n = sys::cuzk_task_spans(self.t, ptr::null_mut(), 0);
            let mut all = vec![std::mem::zeroed::<sys::cuzk_task_span>(); n];
            let given = sys::cuzk_task_spans(self.t, all.as_mut_ptr(), n);
            all.truncate(given);
            all.iter()
                .map(|s| Span {
                    name: CStr::from_ptr(s.name.as_ptr()).to_string_lossy().into_owned(),
                    begin_ns: s.begin_ns,
                    end_ns: s.end_ns,
                    parent: usize::try_from(s.parent).ok(),
                })
                .collect()
        }
    }
}
