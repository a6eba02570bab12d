// SPDX-License-Identifier: MIT OR Apache-2.0
//! verify KEY.vk PROOF INPUTS: one proof, its public inputs as 32-byte little-endian numbers.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<_> = std::env::args().skip(1).map(std::fs::read).collect::<Result<_, _>>()?;
    let inputs: Vec<[u8; 32]> = files[2].chunks_exact(32).map(|c| c.try_into().unwrap()).collect();
    cuzk::VerifyingKey::from_bytes(&files[0])?.verify(&files[1], &inputs)?;
    println!("verified");
    Ok(())
}
