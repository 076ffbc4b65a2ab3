//! Series for tests: recorded ones, and seeded ones that the Python reference makes as well.

use model::Sample;

/// SplitMix64, and normal numbers by Box and Muller: a dozen lines in any language.
pub struct Chance(pub u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let a = 1.0 - self.uniform();
        let b = self.uniform();
        (-2.0 * a.ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
    }
}

pub fn independent(seed: u64, n: usize, mean: f64, sd: f64) -> Vec<f64> {
    let mut chance = Chance(seed);
    (0..n).map(|_| mean + sd * chance.normal()).collect()
}

/// First-order autoregressive, stationary from its first value.
pub fn autoregressive(seed: u64, n: usize, mean: f64, sd: f64, phi: f64) -> Vec<f64> {
    let mut chance = Chance(seed);
    let mut state = chance.normal();
    (0..n)
        .map(|_| {
            let value = mean + sd * state;
            state = phi * state + (1.0 - phi * phi).sqrt() * chance.normal();
            value
        })
        .collect()
}

/// Operations per 100 ms of a recorded series, corrected for the windows' real lengths.
pub fn recorded(name: &str) -> Vec<f64> {
    let path = format!("{}/../../fixtures/series/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let field = |line: &str, at: usize| line.split(',').nth(at).unwrap().parse::<f64>().unwrap();
    text.lines().skip(1).map(|line| field(line, 2) / field(line, 1) * 100.0).collect()
}

/// Windows of 100 ms; a thousandth of an operation counts as one, so that rates keep their digits.
pub fn samples(rates: &[f64]) -> Vec<Sample> {
    let sample = |(window, rate): (usize, &f64)| Sample {
        window: window as u32,
        span_ns: 100_000_000,
        ops: (rate * 1000.0).round() as u64,
        bytes: (rate * 1000.0).round() as u64 * 4096,
        ..Sample::default()
    };
    rates.iter().enumerate().map(sample).collect()
}
