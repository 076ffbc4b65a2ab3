//! Which names say that their value is secret, and which options of the manager's modules may be shown.

/// Anywhere in a name, written with or without separators: `rgw_keystone_admin_password`, `apiToken`.
const PARTS: [&str; 22] = [
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
    "recoverycode",
    "backupcode",
    "kubeconfig",
];
/// As a word of its own.
const WORDS: [&str; 15] = [
    "passwd",
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
    "salt",
    "otp",
    "totp",
    "community",
];
/// As the end of a word: `userpass`, `dbpwd`, `rootpw`.
const ENDS: [&str; 3] = ["pass", "pwd", "pw"];
/// English words that end so.
const NOT_ENDS: [&str; 2] = ["compass", "bypass"];
/// As the end of the last word: `rgw_crypt_kmip_key` and `sshkey` are secret, `mon_config_key_max_entry_size` is not.
const LAST: [&str; 2] = ["key", "keys"];
/// How a key is written, behind its name: `enc_key_hex`.
const WRITTEN: [&str; 5] = ["hex", "base64", "b64", "pem", "der"];
/// Options of Ceph with such a name and no secret: they count keys of a database, or tokens of a queue, or pin what is cached.
const OF_CEPH: [&str; 13] = [
    "osd_deep_scrub_keys",
    "bluestore_freelist_blocks_per_key",
    "rocksdb_bloom_bits_per_key",
    "rocksdb_pin_l0_filter_and_index_blocks_in_cache",
    "mon_scrub_inject_missing_keys",
    "mon_scrub_max_keys",
    "mon_sync_max_payload_keys",
    "ms_pq_max_tokens_per_priority",
    "osd_op_pq_max_tokens_per_priority",
    "mds_bal_export_pin",
    "rgw_keystone_token_cache_size",
    "rgw_swift_token_expiration",
    "rgw_crypt_vault_secret_engine",
];
/// Words of names that are secret unless their value is a number or the like: `osd_deep_scrub_large_omap_object_key_threshold`.
const DOUBTFUL: [&str; 3] = ["key", "keys", "seed"];

/// Options of modules whose values are words that are useful in a report. Anybody can write a module, and name its options as they
/// like: of others only numbers, sizes and yes or no are shown.
const OPEN: [(&str, &str); 8] = [
    ("balancer", "mode"),
    ("balancer", "pool_ids"),
    ("orchestrator", "orchestrator"),
    ("cephadm", "container_image_base"),
    ("cephadm", "mode"),
    ("dashboard", "server_addr"),
    ("prometheus", "server_addr"),
    ("rbd_support", "mirror_snapshot_schedule"),
];
/// Every module has these.
const OPEN_EVERYWHERE: [&str; 1] = ["log_level"];

/// Does the name of an option say that its value is secret? `client/rgw_ldap_secret`, `mgr/mgr/dashboard/GRAFANA_API_PASSWORD`.
pub fn is_secret(name: &str) -> bool {
    if OF_CEPH.contains(&name.rsplit('/').next().unwrap_or(name)) {
        return false;
    }
    let words = words(name);
    let joined = words.concat();
    let ends = |word: &String| {
        let word = without_number(word);
        ENDS.iter().any(|end| word.ends_with(end)) && !NOT_ENDS.contains(&word)
    };
    ends_with_key(&words)
        || PARTS.iter().any(|part| joined.contains(part))
        || words.iter().any(|word| WORDS.contains(&word.as_str()) || ends(word))
}

/// Behind the word for a key there may be its number, its version, and how it is written.
fn ends_with_key(words: &[String]) -> bool {
    let says = |word: &&String| {
        let bare = without_number(word);
        !(bare.is_empty() || bare == "v" || WRITTEN.contains(&word.as_str()))
    };
    let last = words.iter().rev().find(says).map(|word| without_number(word));
    last.is_some_and(|last| LAST.iter().any(|end| last.ends_with(end)))
}

fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// May a value that is no plain one not be shown under this name?
pub fn hides_words(name: &str) -> bool {
    let doubtful = |word: &String| DOUBTFUL.iter().any(|end| without_number(word).ends_with(end));
    words(name).iter().any(doubtful) || is_closed_module_option(name)
}

/// `mgr/MODULE/OPTION`, with or without the section that it is set for, and not known as harmless.
fn is_closed_module_option(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let Some(at) = parts.iter().take(2).rposition(|part| *part == "mgr") else { return false };
    let (Some(module), Some(option)) = (parts.get(at + 1), parts.last().filter(|_| parts.len() > at + 2)) else {
        return false;
    };
    !OPEN_EVERYWHERE.contains(option) && !OPEN.contains(&(module, option))
}

/// A number, a size, a time, yes or no: not even a module keeps a secret so.
pub fn is_plain(value: &str) -> bool {
    const ANSWERS: [&str; 6] = ["true", "false", "yes", "no", "on", "off"];
    const UNITS: [&str; 24] = [
        "", "b", "k", "m", "g", "t", "p", "ki", "mi", "gi", "ti", "pi", "kb", "mb", "gb", "tb", "kib", "mib", "gib",
        "tib", "s", "ms", "h", "%",
    ];
    /// The longest number of 64 bits.
    const LONGEST: usize = 20;
    let value = value.trim().to_ascii_lowercase();
    let number = value.trim_start_matches(['-', '+']);
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = number.len() - unit.len();
    value.is_empty()
        || ANSWERS.contains(&value.as_str())
        || ((1..=LONGEST).contains(&digits) && UNITS.contains(&unit.trim_start()))
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

#[cfg(test)]
mod tests {
    use super::*;

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
            "mgr/mgr/telemetry/salt",
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
            "dbpwd",
            "rootpw",
            "rootpw2",
            "userpass",
            "SSHPASS",
            "MYSQL_PWD",
            "sshkey",
            "totpkey1",
            "authkey_v3",
            "enc_key_hex",
            "snmp_community",
            "otp_seed",
            "recovery_codes",
            "kubeconfig",
            "salt",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in HARMLESS.iter().chain(&OF_CEPH) {
            assert!(!is_secret(name), "{name}");
        }
        assert!(is_secret("mgr/mgr/x/osd_deep_scrub_keys_pw"));
    }

    const HARMLESS: [&str; 46] = [
        "osd/osd_max_backfills",
        "osd/osd_op_queue",
        "osd.2/debug_osd",
        "global/osd_pool_default_size",
        "global/osd_pool_default_pg_num",
        "mon/keyvaluedb",
        "mon/mon_config_key_max_entry_size",
        "mon/mon_allow_pool_delete",
        "mon/mon_max_pg_per_osd",
        "osd/osd_deep_scrub_large_omap_object_key_threshold",
        "osd/osd_deep_scrub_keys",
        "osd/osd_compass",
        "global/auth_cluster_required",
        "global/auth_service_required",
        "global/auth_client_required",
        "global/auth_allow_insecure_global_id_reclaim",
        "global/debug_auth",
        "global/debug_keyvaluestore",
        "global/cephx_require_signatures",
        "global/cephx_sign_messages",
        "global/keyring",
        "global/keyfile",
        "global/ms_bind_msgr2",
        "global/ms_cluster_mode",
        "global/ms_crc_data",
        "global/public_network",
        "global/cluster_network",
        "client/rgw_s3_auth_order",
        "client/rgw_keystone_url",
        "client/rgw_frontends",
        "client/rbd_cache_policy",
        "mgr/mgr/dashboard/ssl_server_port",
        "mgr/mgr_stats_period",
        "osd/bluestore_cache_size",
        "osd/bluestore_cache_autotune",
        "osd/bluestore_compression_mode",
        "osd/bluestore_csum_type",
        "osd/bluestore_rocksdb_options",
        "osd/bluestore_throttle_bytes",
        "osd/bdev_enable_discard",
        "osd/osd_memory_target",
        "osd/osd_mclock_profile",
        "osd/osd_scrub_begin_hour",
        "osd/osd_recovery_sleep_hdd",
        "osd/osd_crush_location",
        "osd/osd_pool_default_crush_rule",
    ];

    #[test]
    fn of_ceph_s_own_options_no_value_is_hidden_needlessly() {
        for name in HARMLESS {
            let number = name.contains("_key") || name.ends_with("_port");
            assert!(!hides_words(name) || number, "{name}");
        }
        assert!(hides_words("mon/api_key_of_x") && hides_words("x/wallet_seed"));
    }

    #[test]
    fn of_modules_only_what_is_known_shows_words() {
        for name in ["mgr/mgr/x/y", "mgr/x/y", "mgr.a/mgr/x/y", "global/mgr/x/host/y", "mgr/zabbix/identifier"] {
            assert!(hides_words(name), "{name}");
        }
        for name in
            ["mgr/balancer/mode", "mgr/mgr/balancer/mode", "mgr/x/log_level", "mgr/mgr_pool", "mgr_x", "osd/mgr/x"]
        {
            assert!(!hides_words(name), "{name}");
        }
    }

    #[test]
    fn numbers_sizes_times_and_answers_are_plain() {
        for value in ["", "1", "-1", "0.05", "18446744073709551615", "4G", "128KiB", "64 MiB", "30s", "true", "off"] {
            assert!(is_plain(value), "{value}");
        }
        for value in ["upmap", "1x", "4711hush", "123456789012345678901", "1 2", "-", "k", "10.0.0.1:80"] {
            assert!(!is_plain(value), "{value}");
        }
    }
}
