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
        let found = match self.s3_url.is_some() || environment {
            true => s3::gateway(&self.named()).map_err(|error| Failure::Usage(error.to_string()))?,
            false => None,
        };
        let others = [
            ("--s3-profile", self.s3_profile.is_some()),
            ("--s3-region", self.s3_region.is_some()),
            ("--s3-ca", self.s3_ca.is_some()),
            ("--s3-virtual-host", self.s3_virtual_host),
        ];
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
        }
    }
}
