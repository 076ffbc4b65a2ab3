//! What is secret, the only list of it: names of options, and texts in which a key or a password stands. Applied before anything is recorded.

/// What stands where a secret stood.
pub const HIDDEN: &str = "(hidden)";

/// Anywhere in a name, written with or without separators: `rgw_keystone_admin_password`, `apiToken`.
const PARTS: [&str; 19] = [
    "passw",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "credential",
    "apikey",
    "accesskey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "masterkey",
    "bearer",
    "bindpw",
    "authorization",
    "webhook",
    "basicauth",
    "httpauth",
    "smtpauth",
];
/// As a word of its own: `compass` is no `pass`.
const WORDS: [&str; 14] = [
    "pass",
    "passwd",
    "pw",
    "pwd",
    "pin",
    "cred",
    "creds",
    "private",
    "jwt",
    "psk",
    "hmac",
    "cookie",
    "sig",
    "signature",
];
/// As the last word: `rgw_crypt_kmip_key` is one, `mon_config_key_max_entry_size` is not.
const LAST: [&str; 2] = ["key", "keys"];
/// Between `Authorization:` and what is secret.
const SCHEMES: [&str; 4] = ["basic", "bearer", "digest", "negotiate"];
/// Options of Ceph that end so and count the keys of a database.
const COUNTS: [&str; 1] = ["osd_deep_scrub_keys"];

/// Does the name of an option say that its value is secret? `client/rgw_ldap_secret`, `mgr/mgr/dashboard/GRAFANA_API_PASSWORD`.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    let last = words.iter().rev().find(|word| !word.chars().all(|c| c.is_ascii_digit()));
    let ends_with_key =
        last.is_some_and(|last| LAST.contains(&last.as_str())) && !COUNTS.iter().any(|count| name.ends_with(count));
    ends_with_key
        || PARTS.iter().any(|part| joined.contains(part))
        || words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// In lower case, split where no letter or digit stands, and between `apiKey`'s two words.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut lower) = (vec![String::new()], false);
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The value of an option as it may be recorded.
pub fn value(name: &str, value: &str) -> String {
    if is_secret(name) { HIDDEN.to_string() } else { cleaned(value) }
}

/// A text without what is secret in it: passwords in URLs and assignments, keys of Ceph, PEM blocks, web tokens.
pub fn cleaned(text: &str) -> String {
    if text.contains("-----BEGIN") {
        return HIDDEN.to_string();
    }
    let mut out = String::with_capacity(text.len());
    // The value that comes next belongs to a name that is secret: the rest of it is hidden, however it is quoted.
    let (mut hide_next, mut before) = (false, "");
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let space = &piece[word.len()..];
        let separator = !word.is_empty() && word.chars().all(|c| matches!(c, '=' | ':' | '"' | '\''));
        // `password = x`
        hide_next |= separator && is_secret(before);
        // `Authorization: Basic x`
        let scheme = hide_next && SCHEMES.contains(&word.to_ascii_lowercase().as_str());
        match hide_next && !word.is_empty() && !separator && !scheme {
            true => out += HIDDEN,
            false => out += &without_secret(word),
        }
        let password = word == "-p" && before.ends_with("sshpass");
        hide_next = if separator || word.is_empty() { hide_next } else { scheme || password || announces_secret(word) };
        before = word;
        out += space;
    }
    out
}

/// `password:`, `"secret_key":`, `--token`: a name that is secret, whose value is the next word.
fn announces_secret(word: &str) -> bool {
    let option = word.strip_prefix("--").or(word.strip_prefix('-')).filter(|name| !name.contains('='));
    let name = word.trim_end_matches(['"', '\'']).trim_end_matches(['=', ':']);
    let named = name.len() < word.trim_end_matches(['"', '\'']).len() || option.is_some();
    let name = name.rsplit(['{', ',', ';', '&', '?', '[', '(']).next().unwrap_or(name);
    named && is_secret(name) || matches!(word.to_ascii_lowercase().as_str(), "bearer" | "password" | "passphrase")
}

/// One word, cut at the first thing in it that is secret.
fn without_secret(word: &str) -> String {
    if let Some(begin) = assigned(word) {
        return format!("{}{HIDDEN}", &word[..begin]);
    }
    let word = match user_info(word) {
        Some((begin, end)) => format!("{}{HIDDEN}{}", &word[..begin], &word[end..]),
        None => word.to_string(),
    };
    let of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | '.');
    let parts = word.split_inclusive(|c: char| !of_key(c));
    let clean = |part: &str| {
        let token = part.trim_end_matches(|c: char| !of_key(c));
        // Behind a name: `key=AQ…==`.
        let from = token.trim_end_matches('=').rfind('=').map_or(0, |at| at + 1);
        match is_key(&token[from..]) {
            true => format!("{}{HIDDEN}{}", &token[..from], &part[token.len()..]),
            false => part.to_string(),
        }
    };
    parts.map(clean).collect()
}

/// Where the value of a secret begins: `a?x=1&access_token=…`, `{"password":"…"}`.
fn assigned(word: &str) -> Option<usize> {
    let sign = |(at, c): (usize, char)| matches!(c, '=' | ':').then_some(at);
    word.char_indices().filter_map(sign).find_map(|at| {
        let before = word[..at].trim_end_matches(['"', '\'']);
        let name = before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).next()?;
        let value = word[at + 1..].trim_start_matches(['"', '\'', '=', ':']);
        (is_secret(name) && !value.is_empty() && !value.starts_with('/')).then_some(at + 1)
    })
}

/// `https://user:password@host`, `user:password@host`: what lies between the scheme and the last at sign.
fn user_info(word: &str) -> Option<(usize, usize)> {
    let end = word.rfind('@')?;
    let begin = word[..end].find("://").map_or(0, |at| at + 3);
    let known = &word[begin..end];
    (begin > 0 && !known.is_empty() || known.contains(':')).then_some((begin, end))
}

/// A key of Ceph (28 bytes or more, of which the first is its type, 1 or 2), of Amazon, or a JSON web token.
fn is_key(token: &str) -> bool {
    let ceph = token.len() >= 36 && token.ends_with('=') && (token.starts_with("AQ") || token.starts_with("Ag"));
    let amazon = token.len() == 20 && (token.starts_with("AKIA") || token.starts_with("ASIA"));
    ceph || amazon || (token.len() >= 20 && token.starts_with("eyJ"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AQBSdZxkAAAAABAAjKz0Yk4ZbV7v0P6b0c7Vhg==";

    #[test]
    fn names_tell_which_options_are_secret() {
        for name in [
            "client/rgw_keystone_admin_password",
            "mgr/mgr/dashboard/GRAFANA_API_PASSWORD",
            "mgr/mgr/dashboard/RGW_API_SECRET_KEY",
            "mgr/mgr/dashboard/RGW_API_ACCESS_KEY",
            "mgr/mgr/dashboard/jwt_token",
            "mgr/mgr/cephadm/registry_credentials",
            "mgr/mgr/x/credentials",
            "mgr/mgr/x/passwd",
            "mgr/mgr/x/PASSPHRASE",
            "mgr/mgr/x/db.pass",
            "mgr/mgr/cephadm/ssh_identity_key",
            "mgr/mgr/dashboard/key",
            "client/rgw_crypt_kmip_key",
            "client/rgw_crypt_s3_kms_encryption_keys",
            "client/rgw_ldap_secret",
            "x/secretAccessKey",
            "x/apiKey2",
            "x/key_2",
            "x/user-pw",
            "x/private",
            "x/bindpw",
            "x/ldap_psk",
            "x/smtp_auth",
            "x/session_cookie",
            "x/alert_webhook",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "osd/osd_max_backfills",
            "osd/osd_op_queue",
            "osd.2/debug_osd",
            "global/osd_pool_default_size",
            "mon/keyvaluedb",
            "mon/mon_config_key_max_entry_size",
            "osd/osd_deep_scrub_large_omap_object_key_threshold",
            "osd/osd_deep_scrub_keys",
            "osd/osd_compass",
            "global/auth_client_required",
            "global/debug_auth",
            "global/cephx_require_signatures",
            "client/rgw_s3_auth_order",
            "mgr/mgr/dashboard/ssl_server_port",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn texts_lose_their_secrets_and_nothing_else() {
        for (text, clean) in [
            ("https://admin:HUSH@grafana:3000/x", "https://(hidden)@grafana:3000/x"),
            ("https://admin:HU/S@H@grafana:3000", "https://(hidden)@grafana:3000"),
            ("https://HUSH@grafana", "https://(hidden)@grafana"),
            ("admin:HUSH@db", "(hidden)@db"),
            ("a, https://u:HUSH@b, c", "a, https://(hidden)@b, c"),
            ("http://x/y?a=1&access_token=HUSH", "http://x/y?a=1&access_token=(hidden)"),
            ("{\"url\": \"r\", \"password\": \"HUSH\"}", "{\"url\": \"r\", \"password\": (hidden)"),
            ("{\"password\":\"HUSH\"}", "{\"password\":(hidden)"),
            ("password = HUSH", "password = (hidden)"),
            ("mgr/x/RGW_API_SECRET_KEY = HUSH", "mgr/x/RGW_API_SECRET_KEY = (hidden)"),
            ("user password: HUSH here", "user password: (hidden) here"),
            ("Authorization: Bearer HUSH", "Authorization: Bearer (hidden)"),
            ("--ssh-option sshpass --password HUSH a", "--ssh-option sshpass --password (hidden) a"),
            ("Authorization: Basic HUSH", "Authorization: Basic (hidden)"),
            ("https://x/services?sig=HUSH", "https://x/services?sig=(hidden)"),
            ("-o ProxyCommand=sshpass -p HUSH ssh", "-o ProxyCommand=sshpass -p (hidden) ssh"),
            ("id AKIAHUSHHUSHHUSH1234", "id (hidden)"),
            ("--admin-token=HUSH", "--admin-token=(hidden)"),
            ("-----BEGIN RSA PRIVATE KEY-----\nHUSH", "(hidden)"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJHUSHHUSH.x", "(hidden)"),
        ] {
            assert_eq!(cleaned(text), clean, "{text}");
        }
        assert_eq!(cleaned(KEY), HIDDEN);
        assert_eq!(cleaned(&format!("key={KEY}")), "key=(hidden)");
        assert_eq!(cleaned(&format!("[client.x]\n\tkey = {KEY}\n")), "[client.x]\n\tkey = (hidden)\n");
        assert_eq!(cleaned(&format!("({KEY}), x")), "((hidden)), x");
        for text in [
            "10.0.0.1:6789",
            "[v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0]",
            "root@10.0.0.1:2222",
            "osd_op_queue=mclock_scheduler",
            "fathom lab up -p 3",
            "fathom run --hosts a,root@[::1]:22 --keyring /etc/ceph/keyring",
            "http://grafana:3000/d/x?orgId=1",
            "1 pool(s) have no replicas configured",
            "",
        ] {
            assert_eq!(cleaned(text), text);
        }
    }
}
