//! Servers that are not a ZooKeeper.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
};

/// Answers each connection with `serve` on a thread of its own; gives the address.
pub(crate) fn impostor(serve: fn(TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Accepts and says nothing, ever.
pub(crate) fn silent(mut stream: TcpStream) {
    let mut chunk = [0; 512];
    while let Ok(1..) = stream.read(&mut chunk) {}
}

/// An HTTP server, as a Nacos or a console would be.
pub(crate) fn http(mut stream: TcpStream) {
    let mut chunk = [0; 512];
    let mut seen = Vec::new();
    while let Ok(n @ 1..) = stream.read(&mut chunk) {
        seen.extend_from_slice(&chunk[..n]);
        if seen.contains(&0) || seen.ends_with(b"\r\n\r\n") {
            let _ = stream
                .write_all(b"HTTP/1.1 400 \r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return;
        }
    }
}

/// Speaks the protocol up to the session, then breaks it: answers every request with a body that is too short.
pub(crate) fn liar(mut stream: TcpStream) {
    let frame = |stream: &mut TcpStream| -> Option<Vec<u8>> {
        let mut length = [0; 4];
        stream.read_exact(&mut length).ok()?;
        let mut body = vec![
            0;
            usize::try_from(u32::from_be_bytes(length))
                .ok()?
                .min(1 << 20)
        ];
        stream.read_exact(&mut body).ok()?;
        Some(body)
    };
    if frame(&mut stream).is_none() {
        return;
    }
    let mut response = vec![
        0, 0, 0, 37, 0, 0, 0, 0, 0, 0, 0x27, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 16,
    ];
    response.extend_from_slice(&[1; 16]);
    response.push(0);
    let _ = stream.write_all(&response);
    while let Some(request) = frame(&mut stream) {
        let code = i32::from_be_bytes(request[4..8].try_into().expect("four bytes"));
        // An answer to exists that is a stat, so that the others are asked; the rest is cut.
        let body: &[u8] = if code == 3 { &[0; 68] } else { &[0; 3] };
        let mut reply = u32::try_from(16 + body.len())
            .expect("small")
            .to_be_bytes()
            .to_vec();
        reply.extend_from_slice(&request[..4]);
        reply.extend_from_slice(&[0; 12]);
        reply.extend_from_slice(body);
        if stream.write_all(&reply).is_err() {
            return;
        }
    }
}
