//! TLS on a connection that does not wait, against the authorities of this host or of the user.

use crate::errors::S3Error;
use crate::own_certificate::{OwnCertificate, signs_itself};
use nix::libc;
use nix::poll::PollFlags;
use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::TcpStreamExt;
use std::sync::Arc;

/// With whom TLS is spoken, and whom it trusts.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl Tls {
    /// `authorities`: certificates in PEM; `None`: those that this host trusts.
    ///
    /// # Errors
    /// There is no certificate, or the host's name is none.
    pub fn new(url: &str, host: &str, authorities: Option<&str>) -> Result<Tls, S3Error> {
        let wrong = |why: String| S3Error::Address { url: url.to_string(), why };
        let mut roots = RootCertStore::empty();
        let named: Vec<CertificateDer<'static>> = authorities
            .map(|text| CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<_, _>>())
            .transpose()
            .map_err(|error| wrong(format!("the authorities' certificates can't be read: {error}")))?
            .unwrap_or_default();
        match authorities {
            Some(_) => {
                let added = named.iter().try_for_each(|certificate| roots.add(certificate.clone()));
                added.map_err(|error| wrong(format!("an authority's certificate can't be used: {error}")))?;
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        if roots.is_empty() {
            let why = "no certificate of an authority is known here; name a file of one with --s3-ca or AWS_CA_BUNDLE";
            return Err(wrong(why.to_string()));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
        let usual = usual.map_err(|error| wrong(error.to_string()))?;
        let config = ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().map_err(|error| wrong(error.to_string()))?;
        let verifier = Arc::new(OwnCertificate { usual, authorities: named });
        let config = config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        let config = Arc::new(config);
        let name = ServerName::try_from(host.to_string()).map_err(|error| wrong(error.to_string()))?;
        Ok(Tls { config, name })
    }
}

/// What a connection reads from and writes to.
pub enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    pub fn over(stream: TcpStream, tls: Option<&Tls>) -> io::Result<Stream> {
        let Some(tls) = tls else { return Ok(Stream::Plain(stream)) };
        let connection = ClientConnection::new(tls.config.clone(), tls.name.clone()).map_err(io::Error::other)?;
        Ok(Stream::Tls(Box::new(StreamOwned::new(connection, stream))))
    }

    /// Why it could not be made; `None`: nothing is wrong so far.
    pub fn socket_error(&self) -> io::Result<Option<io::Error>> {
        self.socket().take_error()
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Stream::Plain(stream) => stream,
            Stream::Tls(tls) => &tls.sock,
        }
    }

    /// What has arrived, and what arrives next, is acknowledged without delay. The kernel goes back to delays by itself.
    pub fn acknowledge_now(&self) -> io::Result<()> {
        self.socket().set_quickack(true)
    }

    /// Is it connected, whatever is agreed upon?
    pub fn is_made(&self) -> bool {
        self.socket().peer_addr().is_ok()
    }

    /// Is it made, and TLS agreed upon? Goes on with that as far as it gets without waiting.
    pub fn is_ready(&mut self) -> io::Result<bool> {
        match self.socket().peer_addr() {
            Ok(_) => {}
            Err(error) if is_early(&error) => return Ok(false),
            Err(error) => return Err(error),
        }
        let Stream::Tls(tls) = self else { return Ok(true) };
        while tls.conn.is_handshaking() {
            match tls.conn.complete_io(&mut tls.sock) {
                Ok(_) => {}
                Err(error) if is_early(&error) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// What is to come before it goes on to be made.
    pub fn waits_for(&self) -> PollFlags {
        match self {
            Stream::Tls(tls) if self.socket().peer_addr().is_ok() && !tls.conn.wants_write() => PollFlags::POLLIN,
            _ => PollFlags::POLLOUT,
        }
    }

    /// Is something of what was written still here?
    pub fn holds_back(&self) -> bool {
        match self {
            Stream::Plain(_) => false,
            Stream::Tls(tls) => tls.conn.wants_write(),
        }
    }

    /// Sends what is held back, as far as that goes without waiting.
    pub fn push(&mut self) -> io::Result<()> {
        let Stream::Tls(tls) = self else { return Ok(()) };
        while tls.conn.wants_write() {
            match tls.conn.write_tls(&mut tls.sock) {
                Ok(_) => {}
                Err(error) if is_early(&error) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub fn write_vectored(&mut self, parts: &[IoSlice]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write_vectored(parts),
            Stream::Tls(tls) => match tls.write_vectored(parts) {
                // What it holds has to go first.
                Ok(0) => Err(ErrorKind::WouldBlock.into()),
                other => other,
            },
        }
    }

    pub fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.read(into),
            // An end without TLS's own is an end; what was read tells whether it was too early.
            Stream::Tls(tls) => match tls.read(into) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
                other => other,
            },
        }
    }
}

/// Nothing can be sent or received yet, or not without waiting.
pub fn is_early(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected)
        || error.raw_os_error() == Some(libc::EINPROGRESS)
}

/// Why a certificate is not taken, if that is what is wrong.
pub fn distrusted(error: &io::Error) -> Option<String> {
    match error.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(why) => Some(format!(
            "its certificate is not trusted ({}); name the authority that signed it with --s3-ca FILE or AWS_CA_BUNDLE",
            match signs_itself(why) {
                true => "it signs itself".to_string(),
                false => why.to_string(),
            }
        )),
        other => Some(format!("TLS is not agreed upon: {other}")),
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Plain(stream) => stream.as_fd(),
            Stream::Tls(tls) => tls.sock.as_fd(),
        }
    }
}
