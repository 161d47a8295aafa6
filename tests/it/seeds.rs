//! Every seed of the fuzz targets through the same functions, on stable Rust.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, the targets write a recording to read it"
)]
#[path = "../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "a crate of its own when it is fuzzed")]
mod targets;

use std::{collections::BTreeMap, io::Read, path::Path};

use flate2::read::GzDecoder;

/// Seeds of every target at least.
const LEAST: usize = 50;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz"))
}

/// The seeds by target: those of the archive, and what was found later, file by file under `found/`.
fn seeds() -> BTreeMap<String, Vec<(String, Vec<u8>)>> {
    let mut seeds: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    let packed = std::fs::File::open(folder().join("seeds.tar.gz")).unwrap();
    let mut archive = tar::Archive::new(GzDecoder::new(packed));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let (target, name) = path.split_once('/').unwrap();
        let of_target = seeds.entry(target.to_owned()).or_default();
        of_target.push((name.to_owned(), bytes));
    }
    for target in std::fs::read_dir(folder().join("found")).unwrap() {
        let target = target.unwrap();
        if !target.path().is_dir() {
            continue;
        }
        for file in std::fs::read_dir(target.path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let target = target.file_name().to_str().unwrap().to_owned();
            let of_target = seeds.entry(target).or_default();
            of_target.push((name, std::fs::read(&path).unwrap()));
        }
    }
    seeds
}

#[test]
fn every_seed_is_survived_and_a_fifth_of_them_means_something() {
    let seeds = seeds();
    let known: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        seeds.keys().collect::<Vec<_>>(),
        known,
        "folders of seeds against targets"
    );
    for (name, target) in targets::TARGETS {
        let of_target = &seeds[name];
        let mut understood = 0;
        for (seed, bytes) in of_target {
            let read = std::panic::catch_unwind(|| target(bytes));
            assert!(read.is_ok(), "{name}/{seed} panics");
            understood += usize::from(read.unwrap());
        }
        println!("{name}: {} seeds, {understood} understood", of_target.len());
        assert!(of_target.len() >= LEAST, "{name}: {}", of_target.len());
        assert!(
            5 * understood >= of_target.len(),
            "{name}: {understood} of {}",
            of_target.len()
        );
    }
}

/// Each target has its file and its entry; nothing else is there.
#[test]
fn every_target_has_its_program() {
    let manifest = std::fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let mut files: Vec<String> = std::fs::read_dir(folder().join("targets"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let expected = targets::TARGETS.map(|(name, _)| format!("{name}.rs"));
    assert_eq!(files, expected);
    for (name, _) in targets::TARGETS {
        let entry = format!("name = \"{name}\"\npath = \"targets/{name}.rs\"\n");
        assert!(manifest.contains(&entry), "{name}");
    }
}
