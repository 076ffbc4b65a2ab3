//! What is secret, the only list of it: names of options, and texts in which a key or a password stands. Applied before anything is recorded.

mod names;

pub use names::is_secret;

/// What stands where a secret stood.
pub const HIDDEN: &str = "(hidden)";

/// Between `Authorization:` and what is secret.
const SCHEMES: [&str; 4] = ["basic", "bearer", "digest", "negotiate"];
/// Programs and the options of theirs that take a password, or a user with one: `sshpass -pPASSWORD`, `curl -u admin:PASSWORD`.
const PROGRAMS: [(&str, &[&str]); 13] = [
    ("sshpass", &["-p"]),
    ("mysql", &["-p"]),
    ("mysqldump", &["-p"]),
    ("mysqladmin", &["-p"]),
    ("mariadb", &["-p"]),
    ("curl", &["-u", "-U", "--user", "--proxy-user"]),
    ("redis-cli", &["-a"]),
    ("ldapsearch", &["-w"]),
    ("ldapmodify", &["-w"]),
    ("ipmitool", &["-P"]),
    // Of these `-p` is a port; they end the options of `sshpass`.
    ("ssh", &[]),
    ("scp", &[]),
    ("sftp", &[]),
];
/// How keys begin that GitLab, GitHub, Slack, Vault, Docker, Google and PyPI give out.
const TOKENS: [&str; 20] = [
    "glpat-",
    "gldt-",
    "glrt-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "hvs.",
    "hvb.",
    "dckr_pat_",
    "AIza",
    "pypi-",
];
/// A shorter word that begins like a token is none.
const TOKEN_LEAST: usize = 12;

/// The value of an option as it may be recorded.
pub fn value(name: &str, value: &str) -> String {
    match is_secret(name) || (names::hides_words(name) && !names::is_plain(value)) {
        true => HIDDEN.to_string(),
        false => cleaned(value),
    }
}

/// A text without what is secret in it: passwords in URLs, assignments and commands, keys of Ceph, PEM blocks, tokens.
pub fn cleaned(text: &str) -> String {
    if text.contains("-----BEGIN") {
        return HIDDEN.to_string();
    }
    let (mut out, mut reader) = (String::with_capacity(text.len()), Reader::default());
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        out += &reader.clean(word);
        out += &piece[word.len()..];
    }
    out
}

/// What the words so far say of the next one.
#[derive(Default)]
struct Reader<'a> {
    /// It belongs to a name that is secret.
    hides: bool,
    /// A secret in quotes goes on until this one.
    quote: Option<char>,
    /// The options with a password of the program whose command this is.
    options: &'static [&'static str],
    before: &'a str,
}

impl<'a> Reader<'a> {
    fn clean(&mut self, word: &'a str) -> String {
        if word.is_empty() {
            return String::new();
        }
        if let Some(quote) = self.quote {
            self.quote = self.quote.filter(|_| !word.contains(quote));
            return HIDDEN.to_string();
        }
        let before = std::mem::replace(&mut self.before, word);
        let separator = word.chars().all(|c| matches!(c, '=' | ':' | '"' | '\''));
        if separator {
            // `password = x`
            self.hides |= is_secret(before);
            self.quote =
                word.chars().last().filter(|last| self.hides && matches!(last, '"' | '\'') && word.len() % 2 == 1);
            return word.to_string();
        }
        // `Authorization: Basic x`
        let scheme = SCHEMES.contains(&word.to_ascii_lowercase().as_str());
        if self.hides && !scheme {
            self.hides = false;
            self.quote = left_open(word);
            return HIDDEN.to_string();
        }
        if let Some(begin) = password_in_option(word, self.options) {
            self.hides = begin == word.len();
            self.quote = left_open(&word[begin..]);
            return if self.hides { word.to_string() } else { format!("{}{HIDDEN}", &word[..begin]) };
        }
        self.follow(word);
        self.hides = (self.hides && scheme) || announces_secret(word);
        self.quote = assigned(word).and_then(|begin| left_open(&word[begin..]));
        without_secret(word)
    }

    /// Whose command it is.
    fn follow(&mut self, word: &str) {
        let part = |c: char| matches!(c, '/' | '=' | '"' | '\'' | '`' | '(' | ';' | '|' | '&');
        let program = word.rsplit(part).next().unwrap_or_default();
        if let Some((_, options)) = PROGRAMS.iter().find(|(known, _)| *known == program) {
            self.options = options;
        } else if word.ends_with([';', '|', '&']) {
            self.options = &[];
        }
    }
}

/// The quote in which a value begins and does not end.
fn left_open(value: &str) -> Option<char> {
    let quote = value.trim_start_matches(['=', ':']).chars().next().filter(|c| matches!(c, '"' | '\''))?;
    (value.matches(quote).count() == 1).then_some(quote)
}

/// Where the password begins that this option has; at the word's end, if it is the next one.
fn password_in_option(word: &str, options: &[&str]) -> Option<usize> {
    options.iter().find_map(|option| match option.strip_prefix("--") {
        Some(_) => word.strip_prefix(option).and_then(|rest| match rest.starts_with('=') {
            true => Some(option.len() + 1),
            false => rest.is_empty().then_some(word.len()),
        }),
        // Short ones may stand together: `-sSu`.
        None => (word.starts_with('-') && !word.starts_with("--"))
            .then(|| word.find(&option[1..]).map(|at| at + option.len() - 1))
            .flatten(),
    })
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
    if let Some(begin) = assigned(word).or_else(|| hook(word)) {
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

/// Where the value of a secret begins: `a?x=1&access_token=…`, `{"password":"…"}`, `basic:…`.
fn assigned(word: &str) -> Option<usize> {
    let sign = |(at, c): (usize, char)| matches!(c, '=' | ':').then_some(at);
    word.char_indices().filter_map(sign).find_map(|at| {
        let before = word[..at].trim_end_matches(['"', '\'']);
        let name = before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).next()?;
        let value = word[at + 1..].trim_start_matches(['"', '\'', '=', ':']);
        let scheme = word[at..].starts_with(':') && matches!(name.to_ascii_lowercase().as_str(), "basic" | "bearer");
        ((is_secret(name) || scheme) && !value.is_empty() && !value.starts_with("//")).then_some(at + 1)
    })
}

/// Who knows such an address may write there: `https://hooks.slack.com/services/T/B/…`. Where its path begins.
fn hook(word: &str) -> Option<usize> {
    let host = word.find("://")? + 3;
    let path = host + word[host..].find('/')? + 1;
    let (host, rest) = (word[host..path].to_ascii_lowercase(), word[path - 1..].to_ascii_lowercase());
    let known = host.starts_with("hooks.") || host.contains("webhook") || host == "api.telegram.org/";
    ((known || rest.contains("/webhook") || rest.contains("/hooks/")) && path < word.len()).then_some(path)
}

/// `https://user:password@host`, `user:password@host`: what lies between the scheme and the last at sign.
fn user_info(word: &str) -> Option<(usize, usize)> {
    let end = word.rfind('@')?;
    let begin = word[..end].find("://").map_or(0, |at| at + 3);
    let known = &word[begin..end];
    (begin > 0 && !known.is_empty() || known.contains(':')).then_some((begin, end))
}

/// A key of Ceph (28 bytes or more, of which the first is its type, 1 or 2), of Amazon, a JSON web token, or one of `TOKENS`.
fn is_key(token: &str) -> bool {
    let ceph = token.len() >= 36 && token.ends_with('=') && (token.starts_with("AQ") || token.starts_with("Ag"));
    let amazon = token.len() == 20 && (token.starts_with("AKIA") || token.starts_with("ASIA"));
    let given_out = |part: &str| part.len() >= TOKEN_LEAST && TOKENS.iter().any(|begin| part.starts_with(begin));
    ceph || amazon || (token.len() >= 20 && token.starts_with("eyJ")) || token.split('/').any(given_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AQBSdZxkAAAAABAAjKz0Yk4ZbV7v0P6b0c7Vhg==";

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
            (
                "ProxyCommand=sshpass -pHUSH ssh -p 22 -W %h:%p u@j",
                "ProxyCommand=sshpass -p(hidden) ssh -p 22 -W %h:%p u@j",
            ),
            ("/usr/bin/sshpass -v -pHUSH ssh j", "/usr/bin/sshpass -v -p(hidden) ssh j"),
            ("sshpass -p 'HUSH HUSH' ssh j", "sshpass -p (hidden) (hidden) ssh j"),
            ("SetEnv=SSHPASS=HUSH", "SetEnv=SSHPASS=(hidden)"),
            ("ProxyCommand=env SSHPASS=HUSH sshpass -e ssh j", "ProxyCommand=env SSHPASS=(hidden) sshpass -e ssh j"),
            ("env SSHPASS='HUSH HUSH' ssh j", "env SSHPASS=(hidden) (hidden) ssh j"),
            ("SSHPASS=/HUSH ssh", "SSHPASS=(hidden) ssh"),
            ("curl -u admin:HUSH https://h", "curl -u (hidden) https://h"),
            ("curl -sSu admin:HUSH https://h", "curl -sSu (hidden) https://h"),
            ("curl --user=admin:HUSH https://h", "curl --user=(hidden) https://h"),
            ("mysql -u root -pHUSH db", "mysql -u root -p(hidden) db"),
            ("basic:HUSH", "basic:(hidden)"),
            ("auth = basic:HUSH", "auth = basic:(hidden)"),
            ("use glpat-HUSHHUSH.HUSH, please", "use (hidden), please"),
            ("ghp_HUSHHUSHHUSH", "(hidden)"),
            ("https://hooks.slack.com/services/T/B/HUSH", "https://hooks.slack.com/(hidden)"),
            ("https://h.example/webhook/HUSH?x", "https://h.example/(hidden)"),
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
            "fathom run --seed 42 --keyring /etc/ceph/ceph.client.admin.keyring -p 3; curl -s http://h/x",
            "--ssh-option ProxyCommand=ssh -p 2222 -W %h:%p u@jump",
            "http://h:9283/api/prometheus_receiver",
            "",
        ] {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn of_modules_numbers_and_what_is_known_are_shown_and_all_else_is_hidden() {
        for (name, given) in [
            ("mgr/x/endpoint", "HUSH"),
            ("mgr/mgr/x/command", "HUSH"),
            ("mgr/zabbix/identifier", "HUSH"),
            ("mgr/x/dbpwd", "4711"),
            ("client/wallet_seed", "HUSH"),
            ("mgr/mgr/telemetry/salt", "0"),
        ] {
            assert_eq!(value(name, given), HIDDEN, "{name}");
        }
        for (name, given) in [
            ("mgr/mgr/balancer/mode", "upmap"),
            ("mgr/balancer/active", "false"),
            ("mgr/balancer/sleep_interval", "60"),
            ("mgr/pg_autoscaler/threshold", "3.0"),
            ("mgr/mgr/dashboard/ssl_server_port", "8443"),
            ("mgr/mgr/prometheus/log_level", "debug"),
            ("mgr/orchestrator/orchestrator", "cephadm"),
            ("mgr/mgr_stats_period", "5"),
            ("osd/osd_max_backfills", "3"),
            ("osd/osd_op_queue", "mclock_scheduler"),
            ("global/ms_bind_msgr2", "true"),
            ("global/auth_cluster_required", "cephx"),
            ("osd/bluestore_cache_size", "4G"),
            ("global/keyring", "/etc/ceph/$cluster.$name.keyring"),
            ("mon/mon_config_key_max_entry_size", "65536"),
            ("osd/osd_deep_scrub_large_omap_object_key_threshold", "200000"),
            ("osd/osd_pool_default_pg_num", "128"),
            ("osd/bluestore_rocksdb_options", "compression=kNoCompression,max_write_buffer_number=4"),
            ("client/rgw_frontends", "beast port=7480"),
            ("global/debug_osd", "1/5"),
        ] {
            assert_eq!(value(name, given), given, "{name}");
        }
    }
}
