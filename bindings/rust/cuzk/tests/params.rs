// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameter files, against the installed library. CUZK_VECTORS: test/vectors of the sources.
use std::path::{Path, PathBuf};

use cuzk::{
    check_params, make_params, params_digest, Chain, Kind, Params, ParamsCheck, ParamsFile, ParamsList, ParamsMake, ParamsOpen, ParamsState,
    Points,
};

fn corpus(name: &str) -> PathBuf {
    PathBuf::from(std::env::var("CUZK_VECTORS").expect("CUZK_VECTORS")).join("../../fuzz/corpus/params").join(name)
}

fn name<T>(r: cuzk::Result<T>) -> &'static str {
    r.err().map_or("", |e| e.name())
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cuzk-rust-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_networks_list() {
    fn shared<T: Send + Sync>() {}
    shared::<ParamsList>();
    shared::<Params>();
    let list = ParamsList::network();
    assert!(list.len() > 20 && !list.is_empty() && list.iter().count() == list.len());
    assert!(list.iter().any(|f| f.kind == Some(Kind::PoRep) && f.kind_name == "porep" && f.sector_bytes == 32 << 30));
    assert!(list.iter().any(|f| f.kind.is_none() && f.kind_name == "aggregate"));
    assert!(list.get(list.len()).is_none());
    assert_eq!(list.state(0, Some(Path::new("/nowhere"))).unwrap(), ParamsState::Absent);
    assert_eq!(ParamsState::Present.to_string(), "not checked");
}

#[test]
fn the_list_of_another_network() {
    let folder = Folder::new("list");
    let json = br#"{"x.vk": {"cid": "bafyabc", "digest": "1234567890ABCDEF1234567890abcdef", "sector_size": 2048}}"#;
    let list = ParamsList::read(json, "own.json").unwrap();
    let want = ParamsFile {
        name: "x.vk".into(),
        cid: "bafyabc".into(),
        digest: "1234567890abcdef1234567890abcdef".into(),
        kind: None,
        kind_name: "other".into(),
        sector_bytes: 2048,
        bytes: 0,
    };
    assert_eq!(list.iter().collect::<Vec<_>>(), [want]);
    let state = || list.state(0, Some(&folder.0)).unwrap();
    assert_eq!(state(), ParamsState::Absent);
    std::fs::write(folder.0.join("x.vk"), "some bytes").unwrap();
    assert_eq!(state(), ParamsState::Present);
    list.note(0, Some(&folder.0)).unwrap();
    assert_eq!(state(), ParamsState::Checked);
    assert_eq!(name(list.note(1, Some(&folder.0))), "CUZK_E_NOT_FOUND");
    for bad in ["", "[]", r#"{"x": {"cid": "a", "digest": "00", "sector_size": 1}}"#] {
        let e = ParamsList::read(bad.as_bytes(), "own.json").err().unwrap();
        assert!(e.name() == "CUZK_E_FORMAT" && e.text.starts_with("own.json:"), "{e}");
    }
    assert_eq!(name(ParamsList::read(json, "a\0b")), "CUZK_E_INVALID");
}

#[test]
fn digests() {
    let folder = Folder::new("digest");
    let path = folder.0.join("hello");
    std::fs::write(&path, "hello\n").unwrap();
    let mut calls = 0;
    let mut seen = |step: &str, done: u64, total: u64| {
        assert!(step == "digest" && done <= total && total == 6);
        calls += 1;
        false
    };
    let hex = |d: &[u8]| d.iter().map(|b| format!("{b:02x}")).collect::<String>();
    // b2sum's first 16 bytes
    assert_eq!(hex(&params_digest(&path, Some(&mut seen)).unwrap()), "f60ce482e5cc1229f39d71313171a8d9");
    assert!(calls > 0);
    std::fs::write(&path, vec![0; 20 << 20]).unwrap(); // the function is asked before the end
    assert_eq!(name(params_digest(&path, Some(&mut |_, _, _| true))), "CUZK_E_CANCELLED");
    assert_eq!(name(params_digest(&path, Some(&mut |_, _, _| panic!("by design")))), "CUZK_E_CANCELLED");
    assert_eq!(name(params_digest(&folder.0.join("nothing"), None)), "CUZK_E_NOT_FOUND");

    let key = corpus("key.vk");
    check_params(&key, ParamsCheck { only_points: true, ..ParamsCheck::default() }).unwrap();
    let own = params_digest(&key, None).unwrap();
    check_params(&key, ParamsCheck { digest: Some(own), threads: 1, ..ParamsCheck::default() }).unwrap();
    assert_eq!(name(check_params(&key, ParamsCheck { digest: Some([7; 16]), ..ParamsCheck::default() })), "CUZK_E_DIGEST");
    // the network has no file of this name
    assert_eq!(name(check_params(&key, ParamsCheck { only_digest: true, ..ParamsCheck::default() })), "CUZK_E_NOT_FOUND");
}

#[test]
fn files_are_opened() {
    for (file, points, chain) in [
        ("ceremony.params", Points::InGroup, Chain::Holds),
        ("ceremony.params", Points::OnCurve, Chain::Unchecked),
        ("ceremony.params", Points::Unchecked, Chain::Unchecked),
        ("transcript.params", Points::InGroup, Chain::Hash(0)),
    ] {
        let p = Params::open(&corpus(file), ParamsOpen { points, threads: 1, progress: None }).unwrap();
        let info = p.info();
        let transcript = info.transcript.unwrap();
        assert!(transcript.contributions > 0 && transcript.chain == chain, "{info:?}");
        assert_eq!(p.verifying_key().unwrap().inputs(), info.public_inputs as usize);
    }
    let e = Params::open(&corpus("truncated.params"), ParamsOpen::default()).err().unwrap();
    assert!(e.name() == "CUZK_E_FORMAT" && e.text.contains("truncated.params"), "{e}");
    assert!(Params::open(&corpus("small.params"), ParamsOpen::default()).unwrap().info().transcript.is_none());
}

/// The circuit is compiled, and then the progress function stops the call: no file is written.
#[test]
fn making_is_stopped() {
    let folder = Folder::new("make");
    let mut compiled = false;
    let mut stop = |step: &str, _: u64, _: u64| {
        compiled = compiled || step == "compiled";
        compiled
    };
    let options = ParamsMake { insecure_seed: Some(7), threads: 1, progress: Some(&mut stop), ..ParamsMake::default() };
    assert_eq!(name(make_params(&folder.0, Kind::Window, 2048, options)), "CUZK_E_CANCELLED");
    assert!(compiled && std::fs::read_dir(&folder.0).unwrap().next().is_none());
    assert_eq!(name(make_params(&folder.0, Kind::Window, 3, ParamsMake::default())), "CUZK_E_INVALID");
}
