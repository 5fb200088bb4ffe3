//! What clients of servers share: where a server may be, and how it is asked whether it is one.

use crate::args::usage;
use anyhow::{Error, Result, anyhow};
use std::fmt::{self, Display};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// The comment on all that this program creates in a server. Nothing else is ever dropped.
pub const MARKER: &str = "made by idlab, which drops it when it starts again";

const PATIENCE: Duration = Duration::from_secs(5);

/// A server that was asked for.
pub struct Server {
    engine: &'static str,
    address: String,
}

impl Server {
    pub fn new(engine: &'static str, host: &str, port: u16) -> Self {
        let address = match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        Self { engine, address }
    }

    /// Says `hello` and returns the first bytes of the answer, so that a silent server
    /// or one of another kind does not keep us waiting.
    pub fn reach<const N: usize>(&self, yes_remote: bool, hello: &[u8]) -> Result<[u8; N]> {
        let found = self.address.to_socket_addrs();
        let found = found.map_err(|error| self.fail(error, "look it up"))?;
        let found: Vec<SocketAddr> = found.collect();
        if !yes_remote && !found.iter().all(|address| address.ip().is_loopback()) {
            return Err(usage(format!(
                "{self}: not this machine; --yes-remote lets it be loaded"
            )));
        }
        let mut stream = Err(ErrorKind::NotFound.into());
        for address in &found {
            stream = TcpStream::connect_timeout(address, PATIENCE);
            if stream.is_ok() {
                break;
            }
        }
        let mut stream = stream.map_err(|error| self.fail(error, "connect"))?;
        let mut answer = [0; N];
        stream
            .set_read_timeout(Some(PATIENCE))
            .and_then(|()| stream.write_all(hello))
            .and_then(|()| stream.read_exact(&mut answer))
            .map_err(|error| match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => anyhow!("none within 5 s"),
                _ => error.into(),
            })
            .map_err(|error| self.fail(error, "get an answer"))?;
        Ok(answer)
    }

    /// Another kind of server was found.
    pub fn foreign(&self) -> Error {
        self.fail(anyhow!("another kind of server answers"), "speak with it")
    }

    /// One line: where, what was tried, why it failed, and what to do.
    pub fn fail(&self, error: impl Into<Error>, tried: &str) -> Error {
        let engine = self.engine;
        let error = one_line(error);
        anyhow!("{self}: tried to {tried}: {error}; scripts/engines.sh up {engine} starts one")
    }
}

/// An error with its causes; servers add hints on lines of their own.
pub fn one_line(error: impl Into<Error>) -> String {
    format!("{:#}", error.into()).replace('\n', "; ")
}

impl Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.engine, self.address)
    }
}
