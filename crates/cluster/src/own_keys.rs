//! What an agent gets to reach the cluster as one user: that user's key, and the part of the configuration that is for it.

use model::secrets::is_secret;

/// The key of one user in a keyring's text.
pub fn key_of(keyring: &str, user: &str) -> Option<String> {
    let mut own = false;
    for line in keyring.lines().map(str::trim) {
        if let Some(section) = section(line) {
            own = section == user;
        } else if let Some((name, value)) = line.split_once('=').filter(|_| own)
            && name.trim() == "key"
        {
            return Some(value.trim().trim_matches(['"', '\'']).to_string());
        }
    }
    None
}

/// A keyring with this key alone.
pub fn keyring_of(user: &str, key: Option<&str>) -> String {
    key.map_or(String::new(), |key| format!("[{user}]\n\tkey = {key}\n"))
}

/// Options that say where keys are: the agent has its own.
const OF_KEYS: [&str; 3] = ["key", "keyfile", "keyring"];

/// What says in the section of a monitor where it is: older configurations have no `mon host`.
const OF_PLACES: [&str; 3] = ["mon_addr", "public_addr", "host"];

/// The sections for all, for all clients and for this one, and where the monitors are; no line with a secret.
pub fn conf_for(conf: &str, user: &str) -> String {
    let (mut text, mut wanted, mut monitor, mut left_out, mut goes_on) = (String::new(), true, false, false, false);
    for line in conf.lines() {
        if !goes_on {
            let trimmed = line.trim();
            if let Some(section) = section(trimmed) {
                monitor = section.starts_with("mon.");
                wanted = matches!(section, "global" | "client") || section == user || monitor;
            }
            let name = trimmed.split(['=', '#', ';']).next().unwrap_or_default();
            // As Ceph takes them: blanks and dashes are underscores.
            let name = name.trim().replace([' ', '\t', '-'], "_").to_lowercase();
            let elsewhere = monitor && !OF_PLACES.contains(&name.as_str());
            left_out =
                section(trimmed).is_none() && (elsewhere || OF_KEYS.contains(&name.as_str()) || is_secret(&name));
        }
        if wanted && !left_out {
            text += line;
            text.push('\n');
        }
        goes_on = line.trim_end().ends_with('\\');
    }
    text
}

fn section(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.split(']').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYRING: &str =
        "[mon.]\n\tkey = MON==\n\tcaps mon = \"allow *\"\n[client.admin]\n\tkey=ADMIN==\n\n[client.a]\nkey = \"A==\"\n";

    #[test]
    fn of_a_keyring_one_key_is_taken() {
        assert_eq!(key_of(KEYRING, "client.admin").as_deref(), Some("ADMIN=="));
        assert_eq!(key_of(KEYRING, "client.a").as_deref(), Some("A=="));
        assert_eq!(key_of(KEYRING, "client.b"), None);
        assert_eq!(keyring_of("client.a", Some("A==")), "[client.a]\n\tkey = A==\n");
        assert_eq!(keyring_of("client.a", None), "");
    }

    #[test]
    fn of_a_configuration_the_users_part_is_taken_without_secrets() {
        let conf = "[global]\nmon host = 10.0.0.1\nkeyring = /x\nkey = GLOBAL\nms mode = crc \\\n secure\n\
                    rgw keystone admin password = HUSH \\\n MORE-HUSH\nfsid = f\n\
                    [client.rgw.a]\nrgw_ldap_secret = HUSH\nhost = x\n[osd]\nosd x = 1\n\
                    [mon.a]\nmon addr = 10.0.0.2:6789\nmon data = /z\n\
                    [client.a]\nrbd_cache = false\nRGW-S3-Key = HUSH\n[client]\nlog file = /y\n";
        let kept = conf_for(conf, "client.a");
        let lines = ["[global]", "mon host = 10.0.0.1", "ms mode = crc \\", " secure", "fsid = f"];
        let lines = [
            &lines[..],
            &["[mon.a]", "mon addr = 10.0.0.2:6789", "[client.a]", "rbd_cache = false", "[client]", "log file = /y"],
        ]
        .concat();
        assert_eq!(kept.lines().collect::<Vec<_>>(), lines);
    }
}
