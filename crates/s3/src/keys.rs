//! Where a gateway is, and with which keys: from options, the usual `AWS_*` variables, and the profiles of the AWS tools.

use crate::errors::S3Error;
use crate::requests::{address, swift_address};
use ini::{Ini, ParseOption};
use model::Gateway;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub type Keys = rusty_s3::Credentials;

/// What a gateway is reached with.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub keys: Keys,
    /// Certificates in PEM of those who sign the gateway's; `None`: this host's own.
    pub authorities: Option<String>,
}

/// What the user named; what is missing comes from the environment.
#[derive(Clone, Debug, Default)]
pub struct Named {
    pub url: Option<String>,
    pub region: Option<String>,
    pub profile: Option<String>,
    /// The bucket's name is a part of the host's: http://BUCKET.HOST.
    pub virtual_host: bool,
    /// A file of certificates of those who sign the gateway's.
    pub authorities: Option<PathBuf>,
    /// It is to be asked by Swift: where users log in, or as the environment says.
    pub swift: Option<Option<String>>,
}

/// Signed for this region where nobody names one: gateways of Ceph take any.
pub const REGION: &str = "us-east-1";

/// What each gateway is reached with, by its URL.
pub type AccessByUrl = BTreeMap<String, Access>;

/// The gateway that is named, or that of the environment (`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `endpoint_url` of the profile);
/// `None`: there is none.
///
/// # Errors
/// Its address is none, or the configuration in which it may be is not understood.
pub fn gateway(named: &Named) -> Result<Option<Gateway>, S3Error> {
    if let Some(url) = &named.swift {
        return of_swift(named, url.clone().or_else(|| variable("ST_AUTH")));
    }
    let profile = named.profile.clone().or_else(|| variable("AWS_PROFILE"));
    let of_profile = |key: &str| config_file().map_or(Ok(None), |file| configured(&file, profile.as_deref(), key));
    let environment = || ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].into_iter().find_map(variable);
    let url = named.url.clone().or_else(environment).map_or_else(|| of_profile("endpoint_url"), |url| Ok(Some(url)))?;
    let Some(url) = url else { return Ok(None) };
    address(&url)?;
    let environment = || ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(variable);
    let region = named.region.clone().or_else(environment);
    let region = region.map_or_else(|| of_profile("region"), |region| Ok(Some(region)))?;
    let url = url.trim_end_matches('/').to_string();
    let region = region.unwrap_or_else(|| REGION.to_string());
    let plain = url.starts_with("http:");
    if named.authorities.is_some() && plain {
        let why = "no certificate is shown over plain HTTP: leave --s3-ca out, or name https://HOST".to_string();
        return Err(S3Error::Address { url, why });
    }
    named.authorities.as_deref().map_or(Ok(()), prove_authorities)?;
    let bundle = named.authorities.clone().or_else(|| variable("AWS_CA_BUNDLE").map(PathBuf::from));
    let authorities = match bundle {
        _ if plain => None,
        Some(file) => Some(file),
        None => of_profile("ca_bundle")?.map(PathBuf::from),
    };
    // Another folder may be the current one when it is undone.
    let authorities = authorities.map(|file| std::path::absolute(&file).unwrap_or(file));
    let (virtual_host, profile) = (named.virtual_host, named.profile.clone());
    Ok(Some(Gateway { url, region, virtual_host, swift: false, credentials: None, profile, authorities }))
}

/// # Errors
/// It can't be read, or has no certificate.
fn prove_authorities(file: &Path) -> Result<(), S3Error> {
    let wrong = |why: String| S3Error::Authorities { file: file.display().to_string(), why };
    let text = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    match CertificateDer::pem_slice_iter(&text).next() {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(wrong(error.to_string())),
        None => Err(wrong("holds no PEM certificate".to_string())),
    }
}

fn of_swift(named: &Named, url: Option<String>) -> Result<Option<Gateway>, S3Error> {
    let Some(url) = url else { return Ok(None) };
    swift_address(&url)?;
    let url = url.trim_end_matches('/').to_string();
    let authorities = named.authorities.as_ref().filter(|_| !url.starts_with("http:"));
    let authorities = authorities.map(|file| std::path::absolute(file).unwrap_or(file.clone()));
    let (region, credentials, profile) = (String::new(), None, None);
    Ok(Some(Gateway { url, region, virtual_host: false, swift: true, credentials, profile, authorities }))
}

/// The keys for this gateway, and whom it is trusted by.
///
/// # Errors
/// There are no keys, or its authorities can't be read.
pub fn access_to(gateway: &Gateway) -> Result<Access, S3Error> {
    let read = |file: &PathBuf| {
        let why = |error: std::io::Error| {
            format!("the authorities' certificates in {} can't be read: {error}", file.display())
        };
        std::fs::read_to_string(file).map_err(|error| S3Error::Address { url: gateway.url.clone(), why: why(error) })
    };
    Ok(Access { keys: keys_of(gateway)?, authorities: gateway.authorities.as_ref().map(read).transpose()? })
}

/// # Errors
/// As [`access_to`], for one of them.
pub fn access_to_all<'g>(gateways: impl IntoIterator<Item = &'g Gateway>) -> Result<AccessByUrl, S3Error> {
    gateways.into_iter().map(|gateway| Ok((gateway.url.clone(), access_to(gateway)?))).collect()
}

/// The keys for this gateway: of its own file or profile where it has one, else of the environment, else of the default profile.
///
/// # Errors
/// There are none.
fn keys_of(gateway: &Gateway) -> Result<Keys, S3Error> {
    let none = |why: String| S3Error::NoKeys { url: gateway.url.clone(), why };
    let named = gateway.credentials.is_some() || gateway.profile.is_some();
    if gateway.swift && !named {
        // A key goes in clear text to whoever is asked.
        let meant = variable("ST_AUTH").map(|url| url.trim_end_matches('/').to_string());
        if let Some(other) = meant.filter(|url| *url != gateway.url) {
            let why =
                format!("ST_AUTH names {other}, and the key in ST_KEY is of that; unset it, or name {}", gateway.url);
            return Err(S3Error::NoUser { url: gateway.url.clone(), why });
        }
        return match (variable("ST_USER"), variable("ST_KEY")) {
            (Some(user), Some(key)) => Ok(Keys::new(user, key)),
            (user, _) => {
                let missing = if user.is_none() { "ST_USER is not set" } else { "ST_KEY is not set" };
                Err(S3Error::NoUser { url: gateway.url.clone(), why: missing.to_string() })
            }
        };
    }
    if !named && let Some(keys) = of_environment().map_err(none)? {
        return Ok(keys);
    }
    let usual = || "default".to_string();
    if let Some(file) = &gateway.credentials {
        return of_file(file, &gateway.profile.clone().unwrap_or_else(usual)).map_err(none);
    }
    let profile = gateway.profile.clone().or_else(|| variable("AWS_PROFILE")).unwrap_or_else(usual);
    of_profile(credentials_file().as_deref(), config_file().as_deref(), (&profile, gateway.profile.is_some()))
        .map_err(none)
}

/// What profiles get keys by that are not in the files.
const ELSEWHERE: [&str; 6] =
    ["sso_session", "sso_start_url", "role_arn", "credential_process", "web_identity_token_file", "login_session"];

/// Keys of a profile in the file of credentials, else in the configuration, which may have them as well. `named`: for this gateway, by an
/// option.
///
/// # Errors
/// Why there are none, in words.
fn of_profile(
    credentials: Option<&Path>,
    config: Option<&Path>,
    (profile, named): (&str, bool),
) -> Result<Keys, String> {
    let unknown = || Err("the environment has none, and no home folder is known".to_string());
    let none = match credentials.map_or_else(unknown, |file| of_file(file, profile)) {
        Ok(keys) => return Ok(keys),
        Err(why) => why,
    };
    let Some(file) = config else { return Err(none) };
    let shown = file.display();
    let Some(ini) = read_if_there(file).map_err(|why| format!("{none}; {shown}: {why}"))? else { return Err(none) };
    let value = |key: &str| configured_in(&ini, Some(profile), key);
    if let (Some(access), Some(secret)) = (value("aws_access_key_id"), value("aws_secret_access_key")) {
        return Ok(with_token(access, secret, value("aws_session_token")));
    }
    // Keys of the environment are those of a gateway that names no profile.
    let before = if named { "leave --s3-profile out and run" } else { "run" };
    match ELSEWHERE.into_iter().find(|key| value(key).is_some()) {
        Some(by) => Err(format!(
            "profile {profile:?} of {shown} gets them by {by}, which only the AWS tools do; {before} \
             eval \"$(aws configure export-credentials --profile {profile} --format env)\""
        )),
        None => Err(none),
    }
}

/// # Errors
/// Only one of a pair is there.
fn of_environment() -> Result<Option<Keys>, String> {
    match (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")) {
        (Some(access), Some(secret)) => Ok(Some(with_token(access, secret, variable("AWS_SESSION_TOKEN")))),
        (None, None) => Ok(None),
        (Some(_), None) => Err("AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY".to_string()),
        (None, Some(_)) => Err("AWS_SECRET_ACCESS_KEY is set without AWS_ACCESS_KEY_ID".to_string()),
    }
}

fn with_token(access: String, secret: String, token: Option<String>) -> Keys {
    match token {
        Some(token) => Keys::new_with_token(access, secret, token),
        None => Keys::new(access, secret),
    }
}

/// # Errors
/// Why it has none, in words.
fn of_file(file: &Path, profile: &str) -> Result<Keys, String> {
    let shown = file.display();
    let ini = read(file).map_err(|error| format!("profile {profile:?} of {shown}: {error}"))?;
    let section = ini.section(Some(profile)).ok_or_else(|| {
        let there: Vec<&str> = ini.sections().flatten().collect();
        let there = if there.is_empty() { "none".to_string() } else { there.join(", ") };
        format!("{shown} has no profile {profile:?} (it has: {there})")
    })?;
    let value = |key: &str| section.get(key).map(str::to_string).filter(|value| !value.is_empty());
    let wanted = |key: &str| value(key).ok_or_else(|| format!("profile {profile:?} of {shown} has no {key}"));
    Ok(with_token(wanted("aws_access_key_id")?, wanted("aws_secret_access_key")?, value("aws_session_token")))
}

/// A key of a profile in the configuration of the AWS tools, if there is one.
///
/// # Errors
/// It is not understood.
fn configured(file: &Path, profile: Option<&str>, key: &str) -> Result<Option<String>, S3Error> {
    let wrong = |why| S3Error::Config { file: file.display().to_string(), why };
    let ini = read_if_there(file).map_err(wrong)?;
    Ok(ini.and_then(|ini| configured_in(&ini, profile, key)))
}

/// `None`: there is no such file.
///
/// # Errors
/// It is not understood, or may not be read.
fn read_if_there(file: &Path) -> Result<Option<Ini>, String> {
    match read(file) {
        Ok(ini) => Ok(Some(ini)),
        Err(ini::Error::Io(error)) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The sections of profiles are called so there.
fn configured_in(ini: &Ini, profile: Option<&str>, key: &str) -> Option<String> {
    let section = match profile {
        None | Some("default") => "default".to_string(),
        Some(profile) => format!("profile {profile}"),
    };
    ini.section(Some(section))?.get(key).map(str::to_string).filter(|value| !value.is_empty())
}

/// Secrets may have any characters: nothing in them is an escape or a quote.
fn read(file: &Path) -> Result<Ini, ini::Error> {
    let options = ParseOption { enabled_quote: false, enabled_escape: false, ..ParseOption::default() };
    Ini::load_from_file_opt(file, options)
}

fn credentials_file() -> Option<PathBuf> {
    variable("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from).or_else(|| in_home("credentials"))
}

fn config_file() -> Option<PathBuf> {
    variable("AWS_CONFIG_FILE").map(PathBuf::from).or_else(|| in_home("config"))
}

fn in_home(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(variable("HOME")?).join(".aws").join(name))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_its_own_keys() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        let text = "[default]\naws_access_key_id = A\naws_secret_access_key = a/b+c\\d\"e#f\n\
                    [other]\naws_access_key_id=B\naws_secret_access_key=s\naws_session_token=t\n[half]\naws_access_key_id=C\n";
        std::fs::write(&file, text).unwrap();
        let keys = of_file(&file, "default").unwrap();
        assert_eq!((keys.key(), keys.secret(), keys.token()), ("A", "a/b+c\\d\"e#f", None));
        assert_eq!(of_file(&file, "other").unwrap().token(), Some("t"));
        assert!(of_file(&file, "half").unwrap_err().ends_with("has no aws_secret_access_key"));
        assert!(of_file(&file, "none").unwrap_err().contains("no profile \"none\""));
        assert!(of_file(&folder.path().join("x"), "default").unwrap_err().contains("/x: "));
    }

    #[test]
    fn a_profile_of_the_configuration_names_region_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, "[default]\nregion = r0\n[profile p]\nendpoint_url = http://g:80\n").unwrap();
        let of = |profile: Option<&str>, key: &str| configured(&file, profile, key).unwrap();
        assert_eq!(of(None, "region").as_deref(), Some("r0"));
        assert_eq!(of(Some("p"), "endpoint_url").as_deref(), Some("http://g:80"));
        assert_eq!(of(Some("p"), "region"), None);
        // What is not there says nothing; what is there and broken is not passed over.
        assert_eq!(configured(&folder.path().join("none"), None, "region").unwrap(), None);
        std::fs::write(&file, "[default\nregion = r0\n").unwrap();
        let why = configured(&file, None, "region").unwrap_err().to_string();
        assert!(why.contains("/config is not understood: ") && why.contains("AWS_CONFIG_FILE"), "{why}");
    }

    #[test]
    fn the_configuration_may_have_keys_as_well_or_say_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let [credentials, config] = ["credentials", "config"].map(|name| folder.path().join(name));
        let text = "[default]\naws_access_key_id = D\naws_secret_access_key = d\n[profile p]\naws_access_key_id = P\n\
                    aws_secret_access_key = p\naws_session_token = t\n[profile s]\nsso_session = corp\nsso_account_id = 1\n\
                    [profile r]\nrole_arn = arn:x\nsource_profile = p\n[profile c]\ncredential_process = /bin/x\n";
        std::fs::write(&config, text).unwrap();
        let of = |profile: &str| of_profile(Some(&credentials), Some(&config), (profile, false));
        assert_eq!((of("default").unwrap().key(), of("p").unwrap().token()), ("D", Some("t")));
        // The file of credentials comes first.
        std::fs::write(&credentials, "[p]\naws_access_key_id = Q\naws_secret_access_key = q\n").unwrap();
        assert_eq!((of("p").unwrap().key(), of("default").unwrap().key()), ("Q", "D"));
        for (profile, by) in [("s", "sso_session"), ("r", "role_arn"), ("c", "credential_process")] {
            let why = of(profile).unwrap_err();
            let way = format!("eval \"$(aws configure export-credentials --profile {profile} --format env)\"");
            assert!(why.contains(by) && why.contains(&way) && !why.contains("has no profile"), "{why}");
        }
        assert!(of("none").unwrap_err().contains("has no profile \"none\" (it has: p)"));
        std::fs::write(&config, "[profile\n").unwrap();
        let why = of("none").unwrap_err();
        assert!(why.contains("no profile") && why.contains("/config: "), "{why}");
    }
}
