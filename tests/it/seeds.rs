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

/// What a seed may be damaged with: words of the formats.
const WORDS: [&[u8]; 24] = [
    b"%",
    b"%25",
    b"%3A%2F%2F",
    b"://",
    b"?",
    b"&",
    b"=",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"\0",
    b"\xff\xfe",
    b"\xe4\xb8",
    b"null",
    b"-1",
    b"99999999999999999999",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b"/",
    b":",
];

/// Numbers that look random and are the same every time (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

/// A seed with a few things cut out, doubled, put in or taken from another seed.
fn damaged(seeds: &[(String, Vec<u8>)], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seeds[numbers.below(seeds.len())].1.clone();
    for _ in 0..=numbers.below(4) {
        let from = numbers.below(bytes.len() + 1);
        let to = (from + numbers.below(16)).min(bytes.len());
        match numbers.below(5) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let part = bytes[from..to].to_vec();
                bytes.splice(from..from, part);
            }
            2 => {
                let word = WORDS[numbers.below(WORDS.len())];
                bytes.splice(from..to, word.iter().copied());
            }
            3 => bytes.truncate(from),
            _ => {
                let other = &seeds[numbers.below(seeds.len())].1;
                let start = numbers.below(other.len() + 1);
                bytes.splice(from..to, other[start..].iter().copied());
            }
        }
    }
    bytes
}

/// Damaged seeds, a few of every target; `DIAG_FUZZ_SECONDS` says for how long each, and what was found lies in the
/// folder for temporary files.
#[test]
fn damaged_seeds_are_survived() {
    let seconds = std::env::var("DIAG_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    let only = std::env::var("DIAG_FUZZ_TARGET").ok();
    let seeds = seeds();
    let mut broken = Vec::new();
    for (name, target) in targets::TARGETS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let mut numbers = Numbers(seconds.unwrap_or(0));
        let begun = std::time::Instant::now();
        let mut runs = 0_u64;
        while match seconds {
            Some(seconds) => begun.elapsed().as_secs() < seconds,
            None => runs < 20,
        } {
            let bytes = damaged(&seeds[name], &mut numbers);
            runs += 1;
            if std::panic::catch_unwind(|| target(&bytes)).is_err() {
                let path = std::env::temp_dir().join(format!("diag-{name}-{runs}"));
                std::fs::write(&path, &bytes).unwrap();
                broken.push(path);
                break;
            }
        }
        println!("{name}: {runs} damaged seeds");
    }
    assert!(broken.is_empty(), "{broken:?}");
}
