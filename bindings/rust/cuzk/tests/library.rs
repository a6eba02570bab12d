// SPDX-License-Identifier: MIT OR Apache-2.0
//! Against the installed library. CUZK_VECTORS: test/vectors of the sources; CUZK_PARAMS: a folder with parameters of
//! a WindowPoSt of 2 KiB sectors.
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cuzk::{Kind, Options, PostClaim, Prover, Request, SealClaim, UpdateClaim, VerifyingKey};

fn vectors(name: &str) -> PathBuf {
    PathBuf::from(std::env::var("CUZK_VECTORS").expect("CUZK_VECTORS")).join(name)
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(vectors(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn hex32(text: &str) -> [u8; 32] {
    let mut out = [0; 32];
    for (i, b) in out.iter_mut().enumerate() {
        *b = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
    }
    out
}

/// The text of a field, the first one after `from` in the vectors' JSON.
fn field(json: &str, from: &str, name: &str) -> String {
    let at = json.find(&format!("\"{from}\"")).unwrap_or_else(|| panic!("{from}"));
    let at = at + json[at..].find(&format!("\"{name}\"")).unwrap_or_else(|| panic!("{name}")) + name.len() + 2;
    json[at..].split('"').nth(1).unwrap().into()
}

fn claim(json: &str) -> PostClaim {
    let comm_r = |k: u64| (k, hex32(&field(json, &format!("post-sector-{k}"), "comm_r")));
    PostClaim {
        registered_proof: 10,
        partition: 0,
        randomness: hex32(&field(json, "common", "post_randomness")),
        sectors: vec![comm_r(1), comm_r(2)],
        by_size: None,
    }
}

/// The first golden proof of a vector.
fn golden(json: &str, vector: &str) -> Vec<u8> {
    let text = field(json, vector, "proof");
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn request(claim: &PostClaim) -> Request {
    let inputs = (1..=2).map(|k| read(&format!("filecoin/window.sector{k}.vanilla.bin"))).collect();
    Request { inputs, registered_proof: 10, randomness: claim.randomness, ..Request::new(Kind::Window) }
}

fn text(name: &str) -> String {
    String::from_utf8(read(name)).unwrap()
}

#[test]
fn types_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<VerifyingKey>();
    shared::<Prover>();
    shared::<cuzk::Task>();
    shared::<cuzk::CircomKey>();
    assert!(!cuzk::version().is_empty());
}

#[test]
fn keys_are_judged() {
    let key = VerifyingKey::from_bytes(&read("groth16/window.vk")).unwrap();
    assert_eq!(key.inputs(), 22);
    let e = VerifyingKey::from_bytes(&read("groth16/window.vk")[1..]).err().unwrap();
    assert!(!e.retryable && e.to_string().starts_with("CUZK_E_"), "{e}");
    let e = VerifyingKey::load(Kind::PoRep, 2048, Some("/nowhere".as_ref())).err().unwrap();
    assert_eq!(e.name(), "CUZK_E_NOT_FOUND");
    assert!(key.verify(&[0; 192], &[[0; 32]; 22]).is_err());
}

/// One partition, replica_id in place of what it is made of, sizes in place of registered types.
#[test]
fn claims_of_parts() {
    let json = text("groth16/vectors.json");
    let key = |name: &str| VerifyingKey::from_bytes(&read(&format!("groth16/{name}.vk"))).unwrap();
    let name = |r: cuzk::Result<()>| r.err().map_or("", |e| e.name());
    let common = |n: &str| hex32(&field(&json, "common", n));
    let seal = SealClaim {
        registered_proof: 5,
        miner: 1000,
        sector: 1,
        ticket: common("ticket"),
        seed: common("seed"),
        comm_r: hex32(&field(&json, "porep-v1_1", "comm_r")),
        comm_d: hex32(&field(&json, "porep-v1_1", "comm_d")),
        partition: Some(0),
        replica_id: None,
    };
    let (vk, proof) = (key("porep-v1_1"), golden(&json, "porep-v1_1[0]"));
    vk.verify_seal(&proof, &seal).unwrap();
    vk.verify_seal(&proof, &SealClaim { partition: None, ..seal }).unwrap();
    assert_eq!(name(vk.verify_seal(&proof, &SealClaim { partition: Some(1), ..seal })), "CUZK_E_INVALID");
    let c1 = text("filecoin/porep-v1_1.c1.json");
    let at = c1.find("\"replica_id\":[").unwrap() + "\"replica_id\":[".len();
    let replica_id: Vec<u8> = c1[at..].split(']').next().unwrap().split(',').map(|x| x.trim().parse().unwrap()).collect();
    let by_id = SealClaim { miner: 7, ticket: [0; 32], replica_id: Some(replica_id.try_into().unwrap()), ..seal };
    vk.verify_seal(&proof, &by_id).unwrap();
    assert_eq!(name(vk.verify_seal(&proof, &SealClaim { replica_id: Some([1; 32]), ..seal })), "CUZK_E_PROOF_FALSE");
    let ni = SealClaim { registered_proof: 15, partition: None, ..seal };
    let all = ni.public_inputs().unwrap();
    let each = all.len() / 13;
    let seventh = SealClaim { partition: Some(7), ..ni }.public_inputs().unwrap();
    assert!(each * 13 == all.len() && seventh == all[7 * each..8 * each]);

    let post = PostClaim { registered_proof: 99, by_size: Some((Kind::Window, 2048)), ..claim(&json) };
    key("window").verify_post(&golden(&json, "window[0]"), &post).unwrap();
    let other = PostClaim { by_size: Some((Kind::PoRep, 2048)), ..post };
    assert_eq!(name(key("window").verify_post(&golden(&json, "window[0]"), &other)), "CUZK_E_INVALID");

    let update = |n: &str| hex32(&field(&json, "update", n));
    let update = UpdateClaim {
        registered_proof: 99,
        comm_r_old: update("comm_r_old"),
        comm_r_new: update("comm_r_new"),
        comm_d_new: update("comm_d_new"),
        sector_bytes: 2048,
        partition: Some(0),
    };
    let (vk, proof) = (key("update"), golden(&json, "update[0]"));
    vk.verify_update(&proof, &update).unwrap();
    assert_eq!(name(vk.verify_update(&proof, &UpdateClaim { partition: Some(1), ..update })), "CUZK_E_INVALID");
}

#[test]
fn window_post() {
    let folder = PathBuf::from(std::env::var("CUZK_PARAMS").expect("CUZK_PARAMS"));
    let claim = claim(&text("groth16/vectors.json"));
    let prover = Prover::new(&Options { params_folder: Some(folder.clone()), devices: Some("cpu".into()), ..Options::default() }).unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = steps.clone();
    let mut r = request(&claim);
    r.spans = true;
    r.progress = Some(Box::new(move |step, _, _| {
        seen.lock().unwrap().push(step.to_string());
        false
    }));
    let task = prover.submit(r).unwrap();
    let proof = task.result().unwrap();
    assert!(task.spans().iter().any(|s| s.name == "prove" && s.parent.is_some() && s.end_ns > s.begin_ns));
    assert!(steps.lock().unwrap().iter().any(|s| s == "prove"));
    let key = VerifyingKey::load(Kind::Window, 2048, Some(&folder)).unwrap();
    key.verify_post(&proof, &claim).unwrap();
    let other = PostClaim { sectors: claim.sectors.iter().rev().copied().collect(), ..claim.clone() };
    assert_eq!(key.verify_post(&proof, &other).err().unwrap().name(), "CUZK_E_PROOF_FALSE");
    let e = prover.prove(Request { randomness: [0; 32], ..request(&claim) }).err().unwrap();
    assert_eq!(e.name(), "CUZK_E_VANILLA");
    let stopping = Request { progress: Some(Box::new(|_, _, _| true)), ..request(&claim) };
    assert_eq!(prover.prove(stopping).err().unwrap().name(), "CUZK_E_CANCELLED");
    let panicking = Request { progress: Some(Box::new(|_, _, _| panic!("by design"))), ..request(&claim) };
    assert_eq!(prover.prove(panicking).err().unwrap().name(), "CUZK_E_CANCELLED");
    let task = prover.submit(request(&claim)).unwrap();
    task.cancel();
    assert!(task.wait(Some(Duration::from_secs(60))));
    assert_eq!(task.result().err().unwrap().name(), "CUZK_E_CANCELLED");
    let forgotten = prover.submit(request(&claim)).unwrap();
    drop(prover); // cancels
    assert_eq!(forgotten.result().err().unwrap().name(), "CUZK_E_CANCELLED");
}

#[test]
fn circom_from_threads() {
    let prover = Prover::new(&Options { devices: Some("cpu".into()), workers: 4, ..Options::default() }).unwrap();
    let key = prover.circom_key(&vectors("snarkjs/mixed.zkey")).unwrap();
    let witness = read("circom/mixed.wtns");
    std::thread::scope(|s| {
        for i in 0..8 {
            let (prover, key, witness) = (&prover, &key, &witness);
            s.spawn(move || {
                let task = prover.submit_circom(key, witness.clone()).unwrap();
                if i % 4 == 3 {
                    task.cancel();
                }
                match task.result() {
                    Ok(proof) => key.verify(&proof, &task.public_inputs().unwrap()).unwrap(),
                    Err(e) => assert!(i % 4 == 3 && e.name() == "CUZK_E_CANCELLED", "{e}"),
                }
            });
        }
    });
    let e = prover.submit_circom(&key, witness[..40].to_vec()).unwrap().result().err().unwrap();
    assert_eq!(e.name(), "CUZK_E_FORMAT");
    let other = Prover::new(&Options { devices: Some("cpu".into()), ..Options::default() }).unwrap();
    assert_eq!(other.submit_circom(&key, witness).err().unwrap().name(), "CUZK_E_INVALID");
    assert_eq!(Prover::new(&Options { devices: Some("gpu".into()), ..Options::default() }).err().unwrap().name(), "CUZK_E_INVALID");
}
