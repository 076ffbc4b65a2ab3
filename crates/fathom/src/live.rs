//! `--listen`: while a run goes on, an HTTP server gives to Prometheus what is known so far.
//!
//! The text is made between slices, when nothing is loaded; a request only copies it. One thread, one request at a time.

use model::{Event, Failure, Record, Report, Subscriber};
use report::export::openmetrics::{self, Course};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a request may take, and how many bytes it may have.
const TIMEOUT: Duration = Duration::from_secs(2);
const LONGEST: usize = 8192;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What the thread that serves shares with the run.
#[derive(Default)]
struct Shared {
    text: Mutex<String>,
    over: AtomicBool,
}

/// The metrics of a run, for other programs to read. The server ends when this is dropped.
pub struct Live {
    address: SocketAddr,
    shared: Arc<Shared>,
    record: Record,
    report: Report,
    course: Course,
}

fn mend(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AddrNotAvailable => "this host has no such address; 127.0.0.1 is always there",
        ErrorKind::PermissionDenied => "ports below 1024 are for root; choose a higher one",
        _ => "choose another port; 0 takes any that is free",
    }
}

impl Live {
    /// Takes the port, before anything is measured.
    ///
    /// # Errors
    /// `Usage`: the address can't be listened on.
    pub fn listen(address: SocketAddr) -> Result<Live, Failure> {
        let refused = |error: io::Error| Failure::Usage(format!("--listen {address}: {error}; {}", mend(error.kind())));
        let listener = TcpListener::bind(address).map_err(refused)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let live = Live {
            address,
            shared: shared.clone(),
            record: Record::default(),
            report: Report::default(),
            course: Course::default(),
        };
        live.write();
        std::thread::Builder::new().name("fathom-live".to_string()).spawn(move || serve(&listener, &shared))?;
        eprintln!("metrics: http://{address}/metrics");
        if !address.ip().is_loopback() {
            eprintln!(
                "fathom: whoever reaches {address} can read the names of what is measured; 127.0.0.1 is this host alone"
            );
        }
        Ok(live)
    }

    /// The text that the next request gets.
    fn write(&self) {
        let text = openmetrics::live(&self.report, &self.course);
        *self.shared.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl Subscriber for Live {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        self.record.apply(event);
        self.course.take(event);
        // They tell where the run is, and nothing that would have to be explained anew.
        match event {
            Event::Window { .. } => return Ok(()),
            Event::Progress { .. } | Event::StepStarted { .. } | Event::PassFinished { .. } => {}
            _ => self.report = experiments::explain(&self.record),
        }
        self.write();
        Ok(())
    }

    fn finish(&mut self, _report: &Report) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the thread from waiting for a request.
        let here = match self.address {
            SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from((Ipv4Addr::LOCALHOST, v4.port())),
            SocketAddr::V6(v6) if v6.ip().is_unspecified() => SocketAddr::from((Ipv6Addr::LOCALHOST, v6.port())),
            other => other,
        };
        let _ = TcpStream::connect_timeout(&here, TIMEOUT);
    }
}

fn serve(listener: &TcpListener, shared: &Shared) {
    for client in listener.incoming() {
        if shared.over.load(Ordering::SeqCst) {
            return;
        }
        // A client that leaves, or says nothing, is its own affair.
        match client {
            Ok(client) => drop(answer(client, shared)),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn answer(mut client: TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_write_timeout(Some(TIMEOUT))?;
    let request = head(&mut client)?;
    let mut words = request.lines().next().unwrap_or("").split(' ');
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = path.split('?').next().unwrap_or("");
    let (status, kind, body) = match (method, path) {
        (_, "") => ("400 Bad Request", "text/plain", "this is no HTTP request\n".to_string()),
        ("GET" | "HEAD", "/metrics") => {
            let text = shared.text.lock().unwrap_or_else(PoisonError::into_inner).clone();
            ("200 OK", OPENMETRICS, text)
        }
        ("GET" | "HEAD", _) => ("404 Not Found", "text/plain", "there is only /metrics\n".to_string()),
        _ => ("405 Method Not Allowed", "text/plain", "/metrics can only be read (GET)\n".to_string()),
    };
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}Connection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes())?;
    if method != "HEAD" {
        client.write_all(body.as_bytes())?;
    }
    client.flush()
}

/// The request up to its empty line.
fn head(client: &mut TcpStream) -> io::Result<String> {
    let (until, mut bytes) = (Instant::now() + TIMEOUT, Vec::new());
    let mut piece = [0; 1024];
    loop {
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        client.set_read_timeout(Some(left))?;
        let read = client.read(&mut piece)?;
        bytes.extend_from_slice(&piece[..read]);
        let whole = bytes.windows(4).any(|four| four == b"\r\n\r\n") || bytes.windows(2).any(|two| two == b"\n\n");
        if read == 0 || whole || bytes.len() > LONGEST || Instant::now() >= until {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
