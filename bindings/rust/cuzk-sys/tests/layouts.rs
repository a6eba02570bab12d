// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes of the structs against the record of the C interface. CUZK_VECTORS: test/vectors of the sources.
use std::mem::size_of;

use cuzk_sys::*;

macro_rules! sizes {
    ($($name:ident)*) => {[$((stringify!($name), size_of::<$name>())),*]};
}

#[test]
fn structs_have_the_sizes_of_c() {
    let vectors = std::env::var("CUZK_VECTORS").expect("CUZK_VECTORS");
    let record = std::fs::read_to_string(format!("{vectors}/../abi/abi-0.json")).unwrap();
    let record: String = record.split_whitespace().collect();
    let all = sizes!(cuzk_error cuzk_seal_claim cuzk_sector cuzk_post_claim cuzk_update_claim cuzk_params_file
        cuzk_params_check_options cuzk_params_open_options cuzk_params_info cuzk_params_made cuzk_params_make_options
        cuzk_prover_options cuzk_input cuzk_prove_request cuzk_task_span cuzk_aggregate_claim);
    for (name, size) in all {
        assert!(record.contains(&format!("\"{name}\":[{size}]")), "{name} has {size} bytes in Rust");
    }
}
