//! Names that are told in place of one that is not known.

/// At most this many names are suggested: nobody reads more.
const TOLD: usize = 3;

/// Those that hold it or are part of it first, then those with the fewest changed letters.
pub fn nearest<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let part = |known: &str| known.contains(name) || name.contains(known);
    let mut ranked: Vec<(bool, usize, &str)> =
        all.map(|known| (!part(known), strsim::levenshtein(name, known), known)).collect();
    ranked.sort();
    ranked.into_iter().take(TOLD).map(|(.., known)| known).collect()
}

/// Those of them that it may have been meant for: it holds them, is part of them, or has few other letters.
pub fn near<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let part = |known: &str| !name.is_empty() && (known.contains(name) || name.contains(known));
    let few = |known: &str| 3 * strsim::levenshtein(name, known) <= known.len();
    nearest(name, all).into_iter().filter(|known| part(known) || few(known)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_told() {
        let of = |name: &str| nearest(name, ["net-nodelay", "osd-slow", "net-crc-off", "mtu"].into_iter());
        assert_eq!((of("nodelay")[0], of("osd_slow")[0], of("mtv")[0]), ("net-nodelay", "osd-slow", "mtu"));
        assert_eq!(of("").len(), 3);
        let near = |name: &str| near(name, ["net-nodelay", "osd-slow", "mtu"].into_iter());
        assert_eq!(
            (near("osd_slow"), near("nodelay"), near("mtv")),
            (vec!["osd-slow"], vec!["net-nodelay"], vec!["mtu"])
        );
        assert!(near("frobnicate").is_empty() && near("").is_empty());
    }
}
