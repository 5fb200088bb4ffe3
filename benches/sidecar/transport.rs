//! Ways from a program to a generator.
//!
//! Over a socket a request is one byte, the number of ids; the answer is so many ids of 8
//! bytes, the highest first. Over HTTP the request is `GET /N`, the answer's body the same.

use idlab::clock::SystemClock;
use idlab::id::Number;
use idlab::random;
use idlab::scheme::{Listed, Params, Scheme, Snowflake, Spec, Stall};
use rand_chacha::ChaCha8Rng;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

/// The layout of all ids: a sequence that no machine uses up in a millisecond, so that what
/// is timed is a call and not a wait.
pub const SCHEME: &str = "snowflake:worker=2:sequence=20";

/// Asks for ids.
pub trait Ask {
    /// Fills `ids`, 1 to 100 of them, in one round trip.
    fn ask(&mut self, ids: &mut [u64]);
}

/// Opens a way to ids.
type Open = fn() -> Box<dyn Ask>;

/// The way without a sidecar.
pub const EMBEDDED: &str = "embedded";

/// All ways, by their names in table and records.
pub const TRANSPORTS: &[(&str, Open)] = &[
    (EMBEDDED, || Box::new(Generator::new())),
    #[cfg(unix)]
    ("unix socket", || Box::new(unix())),
    ("tcp", || Box::new(tcp())),
    ("http", || Box::new(Http::new())),
];

/// A generator on the real clock.
struct Generator {
    scheme: Snowflake,
    writer: <Snowflake as Scheme>::Writer,
    clock: SystemClock,
    /// None of its bits are random.
    random: ChaCha8Rng,
    ids: [Number; 100],
}

impl Generator {
    fn new() -> Self {
        let spec: Spec = SCHEME.parse().expect("a scheme");
        let params = Params::new(&spec, Snowflake::PARAMS).expect("its parameters");
        let mut scheme = Snowflake::new(&params).expect("64 bits");
        Self {
            writer: scheme.writer(0).expect("worker 0"),
            scheme,
            clock: SystemClock::default(),
            random: random::stream(1, "sidecar", 0),
            ids: [Number(0); 100],
        }
    }
}

impl Ask for Generator {
    fn ask(&mut self, ids: &mut [u64]) {
        let wanted = &mut self.ids[..ids.len()];
        let mut filled = 0;
        while filled < wanted.len() {
            let rest = &mut wanted[filled..];
            let Self {
                scheme,
                writer,
                clock,
                random,
                ..
            } = self;
            match scheme.fill(writer, clock, random, rest) {
                Ok(count) => filled += count,
                Err(stall) => assert_ne!(stall, Stall::OutOfRange, "the clock is wrong"),
            }
        }
        for (id, number) in ids.iter_mut().zip(wanted) {
            *id = number.0;
        }
    }
}

/// Answers requests until the other end closes.
fn serve(mut stream: impl Read + Write) {
    let mut generator = Generator::new();
    let mut request = [0];
    let (mut ids, mut answer) = ([0; 100], Vec::with_capacity(800));
    while stream.read_exact(&mut request).is_ok() {
        let ids = &mut ids[..request[0].into()];
        generator.ask(ids);
        answer.clear();
        ids.iter()
            .for_each(|id: &u64| answer.extend(id.to_be_bytes()));
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

/// The ids of an answer.
fn read(answer: &[u8], ids: &mut [u64]) {
    assert_eq!(answer.len(), 8 * ids.len(), "bytes of an answer");
    for (id, bytes) in ids.iter_mut().zip(answer.chunks_exact(8)) {
        *id = u64::from_be_bytes(bytes.try_into().expect("8 bytes"));
    }
}

/// A connection to a server that is a thread.
struct Stream<S> {
    stream: Option<S>,
    server: Option<JoinHandle<()>>,
}

impl<S: Read + Write> Ask for Stream<S> {
    fn ask(&mut self, ids: &mut [u64]) {
        let stream = self.stream.as_mut().expect("an open connection");
        let mut answer = [0; 800];
        let answer = &mut answer[..8 * ids.len()];
        stream.write_all(&[ids.len() as u8]).expect("a request");
        stream.read_exact(answer).expect("an answer");
        read(answer, ids);
    }
}

/// Closes the connection, which ends the server.
impl<S> Drop for Stream<S> {
    fn drop(&mut self) {
        drop(self.stream.take());
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

#[cfg(unix)]
fn unix() -> Stream<std::os::unix::net::UnixStream> {
    use std::os::unix::net::{UnixListener, UnixStream};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ids");
    let listener = UnixListener::bind(&path).expect("a socket");
    let server = thread::spawn(move || serve(listener.accept().expect("a connection").0));
    Stream {
        stream: Some(UnixStream::connect(&path).expect("a connection")),
        server: Some(server),
    }
}

/// Without Nagle's algorithm on either side.
fn tcp() -> Stream<TcpStream> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("its address");
    let server = thread::spawn(move || {
        let stream = listener.accept().expect("a connection").0;
        stream.set_nodelay(true).expect("TCP_NODELAY");
        serve(stream);
    });
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_nodelay(true).expect("TCP_NODELAY");
    Stream {
        stream: Some(stream),
        server: Some(server),
    }
}

/// HTTP/1.1 over one connection that is kept alive.
struct Http {
    agent: ureq::Agent,
    url: String,
    server: std::sync::Arc<tiny_http::Server>,
    thread: Option<JoinHandle<()>>,
}

impl Http {
    fn new() -> Self {
        let server = tiny_http::Server::http((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let server = std::sync::Arc::new(server);
        let address = server.server_addr().to_ip().expect("an address");
        let serving = server.clone();
        let thread = thread::spawn(move || {
            let mut generator = Generator::new();
            let mut ids = [0; 100];
            for request in serving.incoming_requests() {
                let count: usize = request.url()[1..].parse().expect("a number of ids");
                let ids = &mut ids[..count];
                generator.ask(ids);
                let answer: Vec<u8> = ids.iter().flat_map(|id: &u64| id.to_be_bytes()).collect();
                let _ = request.respond(tiny_http::Response::from_data(answer));
            }
        });
        Self {
            agent: ureq::Agent::new_with_defaults(),
            url: format!("http://{address}/"),
            server,
            thread: Some(thread),
        }
    }
}

impl Ask for Http {
    fn ask(&mut self, ids: &mut [u64]) {
        let answer = self.agent.get(format!("{}{}", self.url, ids.len()));
        let answer = answer.call().expect("an answer");
        read(&answer.into_body().read_to_vec().expect("its body"), ids);
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
