//! How an object gateway is reached: the options beside the usual `AWS_*` variables.

use clap::Args;
use model::{Failure, Gateway};
use s3::Named;
use std::path::PathBuf;

/// The keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from a profile.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Object gateway")]
pub struct GatewayArgs {
    /// The gateway of the object layer (S3): http://HOST:PORT or https://HOST; its keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in a profile
    #[arg(long, value_name = "URL")]
    pub s3_url: Option<String>,
    /// The profile in ~/.aws whose keys are taken
    #[arg(long, value_name = "NAME")]
    pub s3_profile: Option<String>,
    /// The region for which requests are signed (default: AWS_REGION, else us-east-1)
    #[arg(long, value_name = "NAME")]
    pub s3_region: Option<String>,
    /// A file of certificates of those who sign the gateway's (default: AWS_CA_BUNDLE, else this host's own)
    #[arg(long, value_name = "FILE")]
    pub s3_ca: Option<PathBuf>,
    /// Asks by Swift instead (v1 authentication); where users log in, http://HOST:PORT/auth/v1.0 (default: ST_AUTH, of a lab its own); the
    /// user is in ST_USER, the key in ST_KEY
    #[arg(long, value_name = "URL", num_args = 0..=1, conflicts_with_all = ["s3_url", "s3_profile", "s3_region", "s3_virtual_host"])]
    pub swift: Option<Option<String>>,
    /// The bucket's name is a part of the host's name (http://BUCKET.HOST:PORT), not of the path
    #[arg(long)]
    pub s3_virtual_host: bool,
}

impl GatewayArgs {
    /// The gateway that is named here. `environment`: else that of the environment.
    ///
    /// # Errors
    /// Its address is none, or there is none that these options could be of.
    pub fn gateway(&self, environment: bool) -> Result<Option<Gateway>, Failure> {
        let named = self.s3_url.is_some() || self.swift.as_ref().is_some_and(Option::is_some);
        let found = match named || environment {
            true => s3::gateway(&self.named()).map_err(|error| Failure::Usage(error.to_string()))?,
            false => None,
        };
        let others = [
            ("--s3-profile", self.s3_profile.is_some()),
            ("--s3-region", self.s3_region.is_some()),
            ("--s3-ca", self.s3_ca.is_some()),
            ("--s3-virtual-host", self.s3_virtual_host),
        ];
        if environment && self.swift.is_some() && found.is_none() {
            let text =
                "--swift: nobody says where users log in; name it (--swift http://HOST:PORT/auth/v1.0) or set ST_AUTH";
            return Err(Failure::Usage(text.to_string()));
        }
        match others.into_iter().find(|(_, given)| *given && found.is_none()) {
            Some((option, _)) => Err(Failure::Usage(format!(
                "{option}: no gateway is named that it could be of (a lab has its own keys); name one with --s3-url"
            ))),
            None => Ok(found),
        }
    }

    fn named(&self) -> Named {
        Named {
            url: self.s3_url.clone(),
            region: self.s3_region.clone(),
            profile: self.s3_profile.clone(),
            virtual_host: self.s3_virtual_host,
            authorities: self.s3_ca.clone(),
            swift: self.swift.clone(),
        }
    }
}
