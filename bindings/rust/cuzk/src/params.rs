// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameter files: cuzk/params.h.
use super::*;

/// Called with step, done and total (0: not known), maybe from a thread of the library, one call at a time; true stops the
/// call, which then fails with CUZK_E_CANCELLED. So does a panic.
pub type Progress<'a> = &'a mut (dyn FnMut(&str, u64, u64) -> bool + Send);

unsafe extern "C" fn on_progress(arg: *mut c_void, step: *const c_char, done: u64, total: u64) -> i32 {
    // Safety: arg is the Progress of the call that is running; the library calls it from one thread at a time.
    let f = &mut *arg.cast::<Progress>();
    let step = CStr::from_ptr(step).to_string_lossy();
    // a panic must not cross the library: it cancels
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&step, done, total))).map_or(1, |stop| stop as i32)
}

/// The function and its argument in C's form; the argument lives as long as `progress` is borrowed.
fn watch(progress: &mut Option<Progress>) -> (sys::cuzk_progress_fn, *mut c_void) {
    match progress {
        Some(p) => (Some(on_progress), (p as *mut Progress).cast()),
        None => (None, ptr::null_mut()),
    }
}

fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32
}

fn text(p: *const c_char) -> String {
    // Safety: callers give terminated texts of the library.
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

/// What is known of a copy of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum ParamsState {
    Absent = sys::CUZK_PARAMS_ABSENT,
    WrongSize = sys::CUZK_PARAMS_WRONG_SIZE,
    /// The size is right, or not known; the digest was not compared.
    Present = sys::CUZK_PARAMS_PRESENT,
    /// The digest was right, and the file has not changed since.
    Checked = sys::CUZK_PARAMS_CHECKED,
    Unreadable = sys::CUZK_PARAMS_UNREADABLE,
    /// A caller's finding; `ParamsList::state` does not give it.
    WrongDigest = sys::CUZK_PARAMS_WRONG_DIGEST,
}

impl fmt::Display for ParamsState {
    /// "absent", "wrong size", "not checked", "checked", "unreadable", "wrong digest".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Safety: a static text for every number.
        f.write_str(&text(unsafe { sys::cuzk_params_state_name(*self as i32) }))
    }
}

/// A file of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamsFile {
    pub name: String,
    pub cid: String,
    /// 32 hex digits: first 16 bytes of BLAKE2b-512 of the file.
    pub digest: String,
    /// `None`: a kind that this crate does not prove; `kind_name` says more.
    pub kind: Option<Kind>,
    /// "porep", "winning", "window", "update", "aggregate" or "other".
    pub kind_name: String,
    /// 0: for every size.
    pub sector_bytes: u64,
    /// Size of the file; 0: not known.
    pub bytes: u64,
}

/// A network's list of parameter files. Immutable.
pub struct ParamsList(*mut sys::cuzk_params_list);

// Safety: immutable once made; the library allows any thread.
unsafe impl Send for ParamsList {}
unsafe impl Sync for ParamsList {}

impl Drop for ParamsList {
    fn drop(&mut self) {
        // Safety: nobody else has it; NULL, the network's own list, is fine.
        unsafe { sys::cuzk_params_list_destroy(self.0) }
    }
}

impl ParamsList {
    /// The network's own list.
    pub fn network() -> Self {
        Self(ptr::null_mut())
    }

    /// The list of another network, in the form of the network's parameters.json. `name`: what messages call it.
    pub fn read(json: &[u8], name: &str) -> Result<Self> {
        let (mut p, name) = (ptr::null_mut(), c_string(name)?);
        // Safety: bytes and text live during the call.
        call(|e| unsafe { sys::cuzk_params_list_read(&mut p, json.as_ptr(), json.len(), name.as_ptr(), e) })?;
        Ok(Self(p))
    }

    pub fn len(&self) -> usize {
        // Safety: a valid list.
        unsafe { sys::cuzk_params_list_count(self.0) }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `None`: the list has no such file.
    pub fn get(&self, index: usize) -> Option<ParamsFile> {
        // Safety: zero bytes are a valid struct; the list's texts are copied while it lives.
        let mut f: sys::cuzk_params_file = unsafe { std::mem::zeroed() };
        f.struct_size = size_of::<sys::cuzk_params_file>();
        if unsafe { sys::cuzk_params_list_get(&mut f, self.0, index) } != sys::CUZK_OK {
            return None;
        }
        let kind = [Kind::PoRep, Kind::Winning, Kind::Window, Kind::Update].into_iter().find(|&k| k as i32 == f.kind);
        Some(ParamsFile {
            name: text(f.name),
            cid: text(f.cid),
            digest: text(f.digest),
            kind,
            kind_name: text(f.kind_name),
            sector_bytes: f.sector_bytes,
            bytes: f.bytes,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = ParamsFile> + '_ {
        (0..self.len()).filter_map(move |i| self.get(i))
    }

    /// Of the copy in `folder`, None: the usual one. `Absent` for an index that the list does not have.
    pub fn state(&self, index: usize, folder: Option<&Path>) -> Result<ParamsState> {
        let folder = folder.map(c_path).transpose()?;
        // Safety: the text lives during the call.
        let state = unsafe { sys::cuzk_params_list_state(self.0, index, as_ptr(&folder)) };
        use ParamsState::*;
        [Absent, WrongSize, Present, Checked, Unreadable, WrongDigest]
            .into_iter()
            .find(|&s| s as i32 == state)
            .ok_or_else(|| Error::invalid("the library knows a state that this crate does not know"))
    }

    /// Notes in `folder` that the digest of its copy was right just now, so that its state is `Checked` until it changes.
    pub fn note(&self, index: usize, folder: Option<&Path>) -> Result<()> {
        let folder = folder.map(c_path).transpose()?;
        // Safety: the text lives during the call.
        call(|e| unsafe { sys::cuzk_params_list_note(self.0, index, as_ptr(&folder), e) })
    }
}

/// First 16 bytes of BLAKE2b-512 of any file. `progress`: "digest", bytes read, size of the file.
pub fn params_digest(path: &Path, mut progress: Option<Progress>) -> Result<[u8; 16]> {
    let (path, mut out) = (c_path(path)?, [0; 16]);
    let (f, arg) = watch(&mut progress);
    // Safety: everything lives during the call.
    call(|e| unsafe { sys::cuzk_params_digest(out.as_mut_ptr(), path.as_ptr(), f, arg, e) })?;
    Ok(out)
}

/// What `check_params` checks. The default: everything, with the digest that the network's list has.
#[derive(Default)]
pub struct ParamsCheck<'a> {
    /// The layout is always checked; neither of the two: both.
    pub only_digest: bool,
    pub only_points: bool,
    /// In place of that of the network's file of the same name.
    pub digest: Option<[u8; 16]>,
    /// 0: all CPUs of the process.
    pub threads: u32,
    pub progress: Option<Progress<'a>>,
}

/// Checks a `.params` or `.vk` file. A network file whose digest was right is noted in its folder.
pub fn check_params(path: &Path, mut o: ParamsCheck) -> Result<()> {
    let path = c_path(path)?;
    let digest = o.digest.map(|d| c_string(&d.iter().map(|b| format!("{b:02x}")).collect::<String>())).transpose()?;
    let (progress, progress_arg) = watch(&mut o.progress);
    let options = sys::cuzk_params_check_options {
        struct_size: size_of::<sys::cuzk_params_check_options>(),
        checks: (if o.only_digest { sys::CUZK_CHECK_DIGEST } else { 0 }) | (if o.only_points { sys::CUZK_CHECK_POINTS } else { 0 }),
        digest: as_ptr(&digest),
        threads: o.threads,
        reserved: 0,
        progress,
        progress_arg,
    };
    // Safety: everything lives during the call.
    call(|e| unsafe { sys::cuzk_params_check(path.as_ptr(), &options, e) })
}

/// What is checked of every point of a file that is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Points {
    #[default]
    Unchecked = sys::CUZK_POINTS_UNCHECKED,
    OnCurve = sys::CUZK_POINTS_ON_CURVE,
    /// On the curve, and in the subgroup.
    InGroup = sys::CUZK_POINTS_IN_GROUP,
}

/// How the contributions of a ceremony's transcript follow one another, by the rules of the network's ceremony tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Unless the file was opened with `Points::InGroup`.
    Unchecked,
    /// Each is a step from the one before, the last to the key's delta.
    Holds,
    /// The hash of this contribution, from 0, is not that of what is before it.
    Hash(u32),
    /// The hashes agree; this contribution, from 0, is no step.
    Step(u32),
    /// All steps hold; the key's delta in G2 is another than that in G1.
    Delta,
}

/// The transcript of a ceremony, behind the sections of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transcript {
    pub contributions: u32,
    pub circuit_hash: [u8; 64],
    pub chain: Chain,
}

/// What is in a `.params` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsInfo {
    /// ONE not counted.
    pub public_inputs: u32,
    /// Points of each section.
    pub h: u64,
    pub l: u64,
    pub a: u64,
    pub b_g1: u64,
    pub b_g2: u64,
    pub transcript: Option<Transcript>,
}

/// How a file is opened. `progress`, while points are checked: "points", 0 of 0, ten times a second.
#[derive(Default)]
pub struct ParamsOpen<'a> {
    pub points: Points,
    /// 0: all CPUs of the process.
    pub threads: u32,
    pub progress: Option<Progress<'a>>,
}

/// An opened `.params` file. Immutable.
pub struct Params(*mut sys::cuzk_params);

// Safety: immutable once made; the library allows any thread.
unsafe impl Send for Params {}
unsafe impl Sync for Params {}

impl Drop for Params {
    fn drop(&mut self) {
        // Safety: nobody else has it.
        unsafe { sys::cuzk_params_close(self.0) }
    }
}

impl Params {
    /// Opens and indexes; layout and verifying key are always checked.
    pub fn open(path: &Path, mut o: ParamsOpen) -> Result<Self> {
        let (mut p, path) = (ptr::null_mut(), c_path(path)?);
        let (progress, progress_arg) = watch(&mut o.progress);
        let options = sys::cuzk_params_open_options {
            struct_size: size_of::<sys::cuzk_params_open_options>(),
            points: o.points as i32,
            threads: o.threads,
            reserved: 0,
            progress,
            progress_arg,
        };
        // Safety: everything lives during the call.
        call(|e| unsafe { sys::cuzk_params_open_with(&mut p, path.as_ptr(), &options, e) })?;
        Ok(Self(p))
    }

    pub fn info(&self) -> ParamsInfo {
        // Safety: zero bytes are a valid struct, and the call fails for a wrong struct_size only.
        let mut i: sys::cuzk_params_info = unsafe { std::mem::zeroed() };
        i.struct_size = size_of::<sys::cuzk_params_info>();
        unsafe { sys::cuzk_params_get_info(&mut i, self.0) };
        let chain = match i.chain {
            sys::CUZK_CHAIN_HOLDS => Chain::Holds,
            sys::CUZK_CHAIN_HASH => Chain::Hash(i.chain_at),
            sys::CUZK_CHAIN_STEP => Chain::Step(i.chain_at),
            sys::CUZK_CHAIN_DELTA => Chain::Delta,
            _ => Chain::Unchecked,
        };
        let transcript = Transcript { contributions: i.contributions, circuit_hash: i.circuit_hash, chain };
        ParamsInfo {
            public_inputs: i.public_inputs,
            h: i.h,
            l: i.l,
            a: i.a,
            b_g1: i.b_g1,
            b_g2: i.b_g2,
            transcript: (i.has_transcript != 0).then_some(transcript),
        }
    }

    /// The key inside; it does not need the file any more.
    pub fn verifying_key(&self) -> Result<VerifyingKey> {
        let mut p = ptr::null_mut();
        // Safety: a valid file.
        call(|e| unsafe { sys::cuzk_params_vk(&mut p, self.0, e) })?;
        Ok(VerifyingKey(p))
    }
}

/// How parameters are made.
#[derive(Default)]
pub struct ParamsMake<'a> {
    /// Equal files each time, under which anybody can forge proofs.
    pub insecure_seed: Option<u64>,
    /// Overwrite files.
    pub replace: bool,
    /// 0: all CPUs of the process.
    pub threads: u32,
    /// "compiled" once, then a section's name and points made.
    pub progress: Option<Progress<'a>>,
}

/// The compiled circuit of `make_params`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsMade {
    /// Rows of the circuit.
    pub constraints: u64,
    /// ONE not counted.
    pub public_inputs: u64,
    /// The other wires.
    pub aux_wires: u64,
    /// log2 of the size of the FFT.
    pub lg_domain: u32,
    /// Time of compiling.
    pub compile: Duration,
}

/// Makes `.params` and `.vk` of a Filecoin circuit in a folder, under the network's names, for tests and private networks:
/// proofs under them are valid nowhere else.
pub fn make_params(folder: &Path, kind: Kind, sector_bytes: u64, mut o: ParamsMake) -> Result<ParamsMade> {
    let folder = c_path(folder)?;
    let (progress, progress_arg) = watch(&mut o.progress);
    // Safety: zero bytes are a valid struct.
    let mut made: sys::cuzk_params_made = unsafe { std::mem::zeroed() };
    made.struct_size = size_of::<sys::cuzk_params_made>();
    let options = sys::cuzk_params_make_options {
        struct_size: size_of::<sys::cuzk_params_make_options>(),
        flags: (if o.insecure_seed.is_some() { sys::CUZK_MAKE_INSECURE_SEED } else { 0 })
            | (if o.replace { sys::CUZK_MAKE_REPLACE } else { 0 }),
        seed: o.insecure_seed.unwrap_or(0),
        threads: o.threads,
        reserved: 0,
        progress,
        progress_arg,
        made: &mut made,
    };
    // Safety: everything lives during the call.
    call(|e| unsafe { sys::cuzk_params_make(folder.as_ptr(), kind as i32, sector_bytes, &options, e) })?;
    Ok(ParamsMade {
        constraints: made.constraints,
        public_inputs: made.public_inputs,
        aux_wires: made.aux_wires,
        lg_domain: made.lg_domain,
        compile: Duration::from_nanos(made.compile_ns),
    })
}
