//! The object gateway of a lab, as curl sees it: with the keys of the lab's user.

use super::{Lab, Ran};
use std::process::{Command, Output};

pub struct Gateway {
    pub url: String,
    pub access: String,
    pub secret: String,
    /// Of its user by Swift.
    pub swift_key: String,
    /// Where it writes down what it was asked.
    pub log: std::path::PathBuf,
}

impl Gateway {
    pub fn of(lab: &Lab) -> Gateway {
        let services = lab.status["services"].as_array().unwrap();
        let service = services.iter().find(|one| one["service"] == "rgw").unwrap();
        let keys = std::fs::read_to_string(service["credentials"].as_str().unwrap()).unwrap();
        let key =
            |name: &str| keys.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).unwrap().to_string();
        Gateway {
            url: service["url"].as_str().unwrap().to_string(),
            access: key("aws_access_key_id"),
            secret: key("aws_secret_access_key"),
            swift_key: keys.rsplit(" = ").next().unwrap().trim().to_string(),
            log: std::path::Path::new(lab.status["dir"].as_str().unwrap()).join("log/rgw.a.own.log"),
        }
    }

    fn asked(&self, words: &[&str], path: &str) -> Output {
        let sign = ["--silent", "--show-error", "--fail", "--max-time", "20", "--aws-sigv4", "aws:amz:us-east-1:s3"];
        Command::new("curl")
            .args(sign)
            .args(["--user", &format!("{}:{}", self.access, self.secret)])
            .args(["--header", "x-amz-content-sha256: UNSIGNED-PAYLOAD"])
            .args(words)
            .arg(format!("{}/{path}", self.url))
            .output()
            .unwrap()
    }

    #[track_caller]
    fn answer(&self, words: &[&str], path: &str) -> String {
        let output = self.asked(words, path);
        assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Makes a bucket, or an object with `--data-binary`.
    #[track_caller]
    pub fn put(&self, path: &str, words: &[&str]) {
        self.answer(&[&["--request", "PUT"], words].concat(), path);
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> String {
        self.answer(&[], path)
    }

    #[track_caller]
    pub fn remove(&self, path: &str) {
        self.answer(&["--request", "DELETE"], path);
    }

    pub fn has(&self, path: &str) -> bool {
        self.asked(&[], path).status.success()
    }

    /// The names of all buckets of its user.
    #[track_caller]
    pub fn buckets(&self) -> Vec<String> {
        let listed = self.get("");
        let names = listed.split("<Name>").skip(1);
        names.map(|name| name.split("</Name>").next().unwrap().to_string()).collect()
    }

    /// The program, which knows of this gateway by its environment alone.
    pub fn run(&self, lab: &Lab, arguments: &[&str]) -> Ran {
        lab.home.run_with(arguments, &self.environment())
    }

    pub fn environment(&self) -> [(&str, &str); 3] {
        [
            ("AWS_ENDPOINT_URL_S3", &self.url),
            ("AWS_ACCESS_KEY_ID", &self.access),
            ("AWS_SECRET_ACCESS_KEY", &self.secret),
        ]
    }
}
