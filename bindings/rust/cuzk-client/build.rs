// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the installed library by pkg-config.
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let out = Command::new("pkg-config").args(["--libs", "cuzk-client"]).output().expect("pkg-config cannot be run");
    if !out.status.success() {
        panic!("pkg-config does not find cuzk-client: install libcuzk-client-dev, or set PKG_CONFIG_PATH\n{}", String::from_utf8_lossy(&out.stderr));
    }
    for flag in String::from_utf8_lossy(&out.stdout).split_whitespace() {
        if let Some(path) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={path}");
        } else if let Some(name) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={name}");
        }
    }
}
