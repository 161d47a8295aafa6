//! The one way out of a run's network: to the Nacos of `DIAG_LAB_NACOS`, through sockets in a folder that both sides see.
//! Without that variable there is none.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use anyhow::{Context, bail};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    runtime::{Builder, Runtime},
};

use crate::{
    nacos::PORT,
    network::{FILES, REGISTRY},
};

/// The variable that gives `host:port`.
pub(crate) const VARIABLE: &str = "DIAG_LAB_NACOS";

/// HTTP, and the port beside it that clients of 2.x stream over.
const PORTS: [u16; 2] = [0, 1000];

/// The address of the Nacos.
pub(crate) fn address() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|text| !text.is_empty())
}

fn socket(folder: &Path, offset: u16) -> PathBuf {
    folder.join(format!("nacos-{offset}.sock"))
}

/// Passes on what comes out of the sockets, from outside of the run's network, until this process ends.
pub(crate) fn serve(folder: &Path) -> anyhow::Result<()> {
    let Some(address) = address() else {
        return Ok(());
    };
    let parts = address.rsplit_once(':');
    let Some((host, Ok(port))) = parts.map(|(host, port)| (host, port.parse::<u16>())) else {
        bail!("{VARIABLE} is host:port, not {address}");
    };
    // The path of a socket is short: the folder is named as it is seen from here.
    let here = std::env::current_dir()?;
    let folder = folder.strip_prefix(&here).unwrap_or(folder);
    let runtime = runtime()?;
    let _inside = runtime.enter();
    for offset in PORTS {
        let path = socket(folder, offset);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let listener = UnixListener::bind(&path).with_context(|| path.display().to_string())?;
        let (host, port) = (host.to_owned(), port + offset);
        runtime.spawn(async move {
            while let Ok((mut inner, _)) = listener.accept().await {
                let outer = TcpStream::connect((host.clone(), port));
                tokio::spawn(async move {
                    // Whoever cannot be reached is as good as one who hangs up.
                    if let Ok(mut outer) = outer.await {
                        let _ = copy_bidirectional(&mut inner, &mut outer).await;
                    }
                });
            }
        });
    }
    Ok(())
}

/// Takes connections at the registry's address inside, and passes them on to the sockets. Once for all runs.
pub(crate) fn open() -> anyhow::Result<()> {
    static OPENED: OnceLock<()> = OnceLock::new();
    if OPENED.get().is_some() {
        return Ok(());
    }
    let runtime = runtime()?;
    for offset in PORTS {
        let listener = runtime
            .block_on(TcpListener::bind((REGISTRY, PORT + offset)))
            .context("the address of the registry is taken")?;
        runtime.spawn(async move {
            while let Ok((mut inner, _)) = listener.accept().await {
                tokio::spawn(async move {
                    if let Ok(mut outer) =
                        UnixStream::connect(socket(Path::new(FILES), offset)).await
                    {
                        let _ = copy_bidirectional(&mut inner, &mut outer).await;
                    }
                });
            }
        });
    }
    OPENED.get_or_init(|| ());
    Ok(())
}

/// A thread of its own, for as long as the process lives.
fn runtime() -> anyhow::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}
