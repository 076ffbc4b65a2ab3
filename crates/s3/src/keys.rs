//! Where a gateway is, and with which keys: from options, the usual `AWS_*` variables, and the profiles of the AWS tools.

use crate::errors::S3Error;
use crate::requests::{address, swift_address};
use ini::{Ini, ParseOption};
use model::Gateway;
use std::collections::BTreeMap;
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
/// Its address is none.
pub fn gateway(named: &Named) -> Result<Option<Gateway>, S3Error> {
    if let Some(url) = &named.swift {
        return of_swift(named, url.clone().or_else(|| variable("ST_AUTH")));
    }
    let profile = named.profile.clone().or_else(|| variable("AWS_PROFILE"));
    let of_profile = |key: &str| configured(&config_file()?, profile.as_deref(), key);
    let environment = || ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].into_iter().find_map(variable);
    let url = named.url.clone().or_else(environment).or_else(|| of_profile("endpoint_url"));
    let Some(url) = url else { return Ok(None) };
    address(&url)?;
    let environment = || ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(variable);
    let region = named.region.clone().or_else(environment).or_else(|| of_profile("region"));
    let url = url.trim_end_matches('/').to_string();
    let region = region.unwrap_or_else(|| REGION.to_string());
    let bundle = || variable("AWS_CA_BUNDLE").or_else(|| of_profile("ca_bundle")).map(PathBuf::from);
    let plain = url.starts_with("http:");
    if named.authorities.is_some() && plain {
        let why = "no certificate is shown over plain HTTP: leave --s3-ca out, or name https://HOST".to_string();
        return Err(S3Error::Address { url, why });
    }
    let authorities = named.authorities.clone().or_else(bundle).filter(|_| !plain);
    // Another folder may be the current one when it is undone.
    let authorities = authorities.map(|file| std::path::absolute(&file).unwrap_or(file));
    let (virtual_host, profile) = (named.virtual_host, named.profile.clone());
    Ok(Some(Gateway { url, region, virtual_host, swift: false, credentials: None, profile, authorities }))
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
    let file = gateway.credentials.clone().or_else(credentials_file);
    let file = file.ok_or_else(|| none("the environment has none, and no home folder is known".to_string()))?;
    let profile = gateway.profile.clone().or_else(|| variable("AWS_PROFILE").filter(|_| gateway.credentials.is_none()));
    let profile = profile.unwrap_or_else(|| "default".to_string());
    of_file(&file, &profile).map_err(none)
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
    let ini = read(file).map_err(|error| format!("{shown}: {error}"))?;
    let section = ini.section(Some(profile)).ok_or_else(|| {
        let there: Vec<&str> = ini.sections().flatten().collect();
        let there = if there.is_empty() { "none".to_string() } else { there.join(", ") };
        format!("{shown} has no profile {profile:?} (it has: {there})")
    })?;
    let value = |key: &str| section.get(key).map(str::to_string).filter(|value| !value.is_empty());
    let wanted = |key: &str| value(key).ok_or_else(|| format!("profile {profile:?} of {shown} has no {key}"));
    Ok(with_token(wanted("aws_access_key_id")?, wanted("aws_secret_access_key")?, value("aws_session_token")))
}

/// A key of a profile in the configuration of the AWS tools, where the sections of profiles are called so.
fn configured(file: &Path, profile: Option<&str>, key: &str) -> Option<String> {
    let ini = read(file).ok()?;
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
        assert_eq!(configured(&file, None, "region").as_deref(), Some("r0"));
        assert_eq!(configured(&file, Some("p"), "endpoint_url").as_deref(), Some("http://g:80"));
        assert_eq!(configured(&file, Some("p"), "region"), None);
    }
}
