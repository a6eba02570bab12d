// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUZK_ADDRESS: a daemon on the CPU with parameters of a WinningPoSt of 2 KiB sectors; CUZK_VANILLA: the vanilla proof of
//! test/vectors; CUZK_PROOF: where the proof is written.
use std::time::Duration;

use cuzk::{Kind, Request};
use cuzk_client::{Call, Client, Failure, Options, Stop};

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn request() -> Request {
    let mut randomness = [0; 32];
    (0..31).for_each(|i| randomness[i] = 64 + i as u8);
    let inputs = vec![std::fs::read(variable("CUZK_VANILLA")).unwrap()];
    Request { inputs, sector_bytes: 2048, miner: 1000, randomness, ..Request::new(Kind::Winning) }
}

fn connect() -> Client {
    let options = Options { address: variable("CUZK_ADDRESS"), connect: Some(Duration::from_secs(60)), ..Options::default() };
    Client::new(&options).unwrap()
}

fn name<T>(r: Result<T, cuzk::Error>) -> &'static str {
    r.err().map_or("", |e| e.name())
}

#[test]
fn proofs() {
    let (c, call) = (connect(), Call { timeout: Some(Duration::from_secs(300)), stop: None });
    assert_eq!(cuzk_client::version(), cuzk::version());
    assert!(c.is_serving(&call).unwrap() && c.metrics(&call).unwrap().contains("cuzk_"));
    assert_eq!(c.prove(&request(), "", &call).unwrap().len(), cuzk::PROOF_BYTES);
    let job = c.submit(&request(), "from Rust", &call).unwrap();
    let proof = c.await_proof(&job, None, &call).unwrap().unwrap();
    std::fs::write(variable("CUZK_PROOF"), proof).unwrap();
    assert!(c.totals(&call).unwrap().completed >= 1);
    let freed = loop {
        match c.evict("winning-2k", &call) {
            Ok(n) => break n,
            Err(e) => assert_eq!(e.name(), "CUZK_E_BUDGET"), // for a moment after its proof the job is still using the circuit
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(freed > 0 && !c.preload("winning-2k", &call).unwrap());
    refusals(&c, &call);
}

/// In one test with the proofs, because another caller's circuit would stay in use.
fn refusals(c: &Client, call: &Call) {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(c);
    assert!(matches!(c.await_proof("nobody's", None, call), Err(Failure::Call(e)) if e.name() == "CUZK_E_NOT_FOUND"));
    assert_eq!(name(c.cancel("nobody's", call)), "CUZK_E_NOT_FOUND");
    let false_input = Request { randomness: [0; 32], ..request() };
    match c.prove(&false_input, "", call) {
        Err(Failure::Job { text, retryable, cancelled }) => assert!(!text.is_empty() && !retryable && !cancelled),
        other => panic!("{other:?}"),
    }
    let flagged = Request { one_partition: true, ..request() };
    assert_eq!(name(c.submit(&flagged, "", call)), "CUZK_E_UNSUPPORTED");
    let stop = Stop::new().unwrap();
    stop.request();
    assert_eq!(name(c.is_serving(&Call { timeout: None, stop: Some(&stop) })), "CUZK_E_CANCELLED");
    let nobody = Options { address: "unix:///nobody/here".into(), ..Options::default() };
    assert!(Client::new(&nobody).err().unwrap().retryable);
}
