//! Keys and identifiers, drawn from the kernel.

use crate::errors::LabError;
use crate::services::Service;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

fn random<const N: usize>() -> Result<[u8; N], LabError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; N];
    File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map_err(LabError::io("cannot read", path))?;
    Ok(bytes)
}

/// A random UUID (version 4).
pub(crate) fn uuid() -> Result<String, LabError> {
    let mut bytes = random::<16>()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&index) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// A new cephx key, as it stands in a keyring: type 1 (AES), time of creation (left zero), length, 16 random bytes; little-endian.
pub(crate) fn key() -> Result<String, LabError> {
    let mut bytes = [0; 28];
    bytes[0] = 1;
    bytes[10] = 16;
    bytes[12..].copy_from_slice(&random::<16>()?);
    Ok(base64(&bytes))
}

/// The key of one of a keyring.
pub(crate) fn key_of(keyring: &Path, entity: &str) -> Result<String, LabError> {
    let text = std::fs::read_to_string(keyring).map_err(LabError::io("cannot read", keyring))?;
    let own = text.split('[').find_map(|section| section.strip_prefix(&format!("{entity}]")));
    let key = own.and_then(|own| own.lines().find_map(|line| line.trim().strip_prefix("key = ")));
    key.map(str::to_owned).ok_or_else(|| LabError::io("no key in", keyring)(std::io::ErrorKind::NotFound.into()))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let filled = digit <= group.len();
            let value = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if filled { char::from(DIGITS[value]) } else { '=' });
        }
    }
    text
}

/// One keyring for all: the daemons `mon.`, `mgr.x`, `osd.0`… and those of services, and the user `client.admin`.
pub(crate) fn keyring(osds: u32, services: &[Service]) -> Result<String, LabError> {
    let mut text = String::new();
    let mut add = |entity: &str, caps: &[(&str, &str)]| -> Result<(), LabError> {
        let _ = writeln!(text, "[{entity}]\n\tkey = {}", key()?);
        for (service, cap) in caps {
            let _ = writeln!(text, "\tcaps {service} = \"{cap}\"");
        }
        Ok(())
    };
    add("mon.", &[("mon", "allow *")])?;
    add("client.admin", &[("mon", "allow *"), ("mgr", "allow *"), ("osd", "allow *"), ("mds", "allow *")])?;
    add("mgr.x", &[("mon", "allow profile mgr"), ("osd", "allow *"), ("mds", "allow *")])?;
    for id in 0..osds {
        add(&format!("osd.{id}"), &[("mon", "allow profile osd"), ("mgr", "allow profile osd"), ("osd", "allow *")])?;
    }
    services.iter().map(|service| service.spec()).try_for_each(|spec| add(spec.entity, spec.caps))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_standard_one() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn keys_and_uuids_have_their_form_and_differ() -> Result<(), LabError> {
        let (one, two) = (uuid()?, uuid()?);
        assert_ne!(one, two);
        assert_eq!((one.len(), &one[14..15]), (36, "4"));
        assert!(key()?.starts_with("AQAAAAAAAAAAABAA") && key()?.len() == 40);
        assert_eq!(keyring(2, &[])?.matches("key = ").count(), 5);
        assert_eq!(keyring(2, &[Service::Cephfs, Service::Rgw])?.matches("key = ").count(), 7);
        let place = tempfile::NamedTempFile::new().map_err(LabError::io("cannot make", Path::new("a file")))?;
        let text = keyring(1, &[Service::Nfs, Service::Guest])?;
        std::fs::write(place.path(), &text).map_err(LabError::io("cannot write", place.path()))?;
        let own = key_of(place.path(), "client.guest.a")?;
        assert!(text.contains(&format!("[client.guest.a]\n\tkey = {own}\n")));
        assert!(key_of(place.path(), "client.guest").is_err());
        Ok(())
    }
}
