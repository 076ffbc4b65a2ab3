//! A gateway whose certificate signs itself: taken, where the user named this very certificate as an authority, as other tools do.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;

/// As rustls judges, but for certificates that are an authority's own.
#[derive(Debug)]
pub struct OwnCertificate {
    pub usual: Arc<WebPkiServerVerifier>,
    pub authorities: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for OwnCertificate {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let judged = self.usual.verify_server_cert(certificate, between, name, ocsp, now);
        // Its time was found to be right before that.
        let own = matches!(&judged, Err(Error::InvalidCertificate(why)) if signs_itself(why));
        if !own || !self.authorities.contains(certificate) {
            return judged;
        }
        verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

/// Is it an authority's own certificate that the server shows?
pub fn signs_itself(why: &CertificateError) -> bool {
    matches!(why, CertificateError::Other(why) if format!("{why:?}").contains(AS_SERVER))
}

/// What rustls-webpki says where an authority's certificate is that of the server.
const AS_SERVER: &str = "CaUsedAsEndEntity";
