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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_told() {
        let of = |name: &str| nearest(name, ["net-nodelay", "osd-slow", "net-crc-off", "mtu"].into_iter());
        assert_eq!((of("nodelay")[0], of("osd_slow")[0], of("mtv")[0]), ("net-nodelay", "osd-slow", "mtu"));
        assert_eq!(of("").len(), 3);
    }
}
