//! How an object gateway is reached: the options beside the usual `AWS_*` variables.

use clap::Args;
use model::{Failure, Gateway};
use s3::Named;
use std::path::PathBuf;

/// The keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from a profile.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Object gateway")]
pub struct GatewayArgs {
    /// The gateway of the object layer (S3): http://HOST:PORT or https://HOST; its keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in a profile. Several (A,B): each alone, and in `fathom object` all at once as well
    #[arg(long = "s3-url", value_name = "URL,…", value_delimiter = ',')]
    pub s3_urls: Vec<String>,
    /// The profile in ~/.aws whose keys are taken; of several gateways one for all, or one for each
    #[arg(long = "s3-profile", value_name = "NAME,…", value_delimiter = ',')]
    pub s3_profiles: Vec<String>,
    /// The region for which requests are signed (default: AWS_REGION, else us-east-1)
    #[arg(long, value_name = "NAME")]
    pub s3_region: Option<String>,
    /// A PEM file with the authority that signed the gateway's certificate (default: AWS_CA_BUNDLE, else this host's own)
    #[arg(long, value_name = "FILE")]
    pub s3_ca: Option<PathBuf>,
    /// Asks by Swift instead (v1 authentication); where users log in, http://HOST:PORT/auth/v1.0 (default: ST_AUTH, of a lab its own); the
    /// user is in ST_USER, the key in ST_KEY
    #[arg(long, value_name = "URL", num_args = 0..=1, conflicts_with_all = ["s3_urls", "s3_profiles", "s3_region", "s3_virtual_host"])]
    pub swift: Option<Option<String>>,
    /// The bucket's name is a part of the host's name (http://BUCKET.HOST:PORT), not of the path
    #[arg(long)]
    pub s3_virtual_host: bool,
}

impl GatewayArgs {
    /// The gateways that are named here. `environment`: else that of the environment.
    ///
    /// # Errors
    /// An address is none, or named twice, or there is none that these options could be of.
    pub fn gateways(&self, environment: bool) -> Result<Vec<Gateway>, Failure> {
        let named = !self.s3_urls.is_empty() || self.swift.as_ref().is_some_and(Option::is_some);
        let found: Vec<Gateway> = match named || environment {
            true => {
                let all = self.named()?;
                let found = all.iter().map(|one| s3::gateway(one).map_err(|error| Failure::Usage(error.to_string())));
                found.filter_map(Result::transpose).collect::<Result<_, _>>()?
            }
            false => Vec::new(),
        };
        let twice = |(at, one): (usize, &Gateway)| found[..at].iter().any(|other| other.url == one.url);
        if let Some((_, one)) = found.iter().enumerate().find(|one| twice(*one)) {
            return Err(Failure::Usage(format!("--s3-url: {} is named twice; name each gateway once", one.url)));
        }
        let others = [
            ("--s3-profile", !self.s3_profiles.is_empty()),
            ("--s3-region", self.s3_region.is_some()),
            ("--s3-ca", self.s3_ca.is_some()),
            ("--s3-virtual-host", self.s3_virtual_host),
        ];
        if environment && self.swift.is_some() && found.is_empty() {
            let text =
                "--swift: nobody says where users log in; name it (--swift http://HOST:PORT/auth/v1.0) or set ST_AUTH";
            return Err(Failure::Usage(text.to_string()));
        }
        match others.into_iter().find(|(_, given)| *given && found.is_empty()) {
            Some((option, _)) => Err(Failure::Usage(format!(
                "{option}: no gateway is named that it could be of (a lab has its own keys); name one with --s3-url"
            ))),
            None => Ok(found),
        }
    }

    /// One for each URL; without one, what is to be looked for.
    fn named(&self) -> Result<Vec<Named>, Failure> {
        let (urls, profiles) = (&listed("--s3-url", &self.s3_urls)?, &listed("--s3-profile", &self.s3_profiles)?);
        if profiles.len() > 1 && profiles.len() != urls.len() {
            return Err(Failure::Usage(format!(
                "--s3-profile: {} profiles for {} gateways; name one for all of them, or one for each in their order",
                profiles.len(),
                urls.len()
            )));
        }
        let profile = |number: usize| profiles.get(number).or(profiles.first()).cloned();
        // Over plain HTTP no certificate is shown; where none of several is, that is told.
        let plain = |number: usize| urls.get(number).is_some_and(|url| url.starts_with("http:"));
        let shown = (0..urls.len()).any(|number| !plain(number));
        let named = |number: usize| Named {
            url: urls.get(number).cloned(),
            region: self.s3_region.clone(),
            profile: profile(number),
            virtual_host: self.s3_virtual_host,
            authorities: self.s3_ca.clone().filter(|_| !(shown && plain(number))),
            swift: self.swift.clone(),
        };
        Ok((0..urls.len().max(1)).map(named).collect())
    }
}

/// Without blanks around them.
///
/// # Errors
/// There is nothing between two commas.
fn listed(option: &str, items: &[String]) -> Result<Vec<String>, Failure> {
    let items: Vec<String> = items.iter().map(|item| item.trim().to_string()).collect();
    match items.iter().any(String::is_empty) {
        true if items.len() == 1 => Err(Failure::Usage(format!("{option}: it is empty; name one, or leave it out"))),
        true => {
            let why = "there is nothing between two commas, or after the last one; leave that comma out";
            Err(Failure::Usage(format!("{option}: {why}")))
        }
        false => Ok(items),
    }
}
