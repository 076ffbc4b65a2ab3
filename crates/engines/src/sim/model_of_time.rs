//! How long a simulated operation takes, and what befalls it.

use ::model::{Nanos, OpClass};
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::{Distribution, LogNormal, Uniform};

/// How a simulated target behaves.
#[derive(Clone, Debug)]
pub struct Model {
    /// Mean time of a read and of a write, ns.
    pub read_ns: f64,
    pub write_ns: f64,
    /// Standard deviation of the times over their mean (log-normal).
    pub spread: f64,
    /// Operations served at the same time; further ones wait.
    pub servers: u32,
    pub twists: Vec<Twist>,
}

/// What changes on the way. Times are those of the simulated clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Twist {
    /// From then on operations take `factor` times as long.
    Level { from: Nanos, factor: f64 },
    /// The first `lasts` of every `every` ns are `factor` times as slow.
    Dips { every: Nanos, lasts: Nanos, factor: f64 },
    /// From then on this share of the operations fails with EIO.
    Errors { from: Nanos, share: f64 },
    /// From then on nothing ends.
    Death { at: Nanos },
}

/// What becomes of an operation that a server begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Ends { after: Nanos, failed: bool },
    Never,
}

impl Model {
    /// `servers` at a time, each in about `ns`, reads and writes alike.
    pub fn steady(ns: f64, spread: f64, servers: u32) -> Model {
        Model { read_ns: ns, write_ns: ns, spread, servers, twists: Vec::new() }
    }

    pub fn with(mut self, twist: Twist) -> Model {
        self.twists.push(twist);
        self
    }

    pub fn fate(&self, kind: OpClass, begins: Nanos, chance: &mut Xoshiro256PlusPlus) -> Fate {
        let mean = if kind == OpClass::Read { self.read_ns } else { self.write_ns };
        let (mut ns, mut failed) = (self.draw(mean, chance), false);
        for twist in &self.twists {
            match *twist {
                Twist::Level { from, factor } if begins >= from => ns *= factor,
                Twist::Dips { every, lasts, factor } if begins % every.max(1) < lasts => ns *= factor,
                Twist::Errors { from, share } if begins >= from => failed |= unit(chance) < share,
                Twist::Death { at } if begins as f64 + ns >= at as f64 => return Fate::Never,
                Twist::Level { .. } | Twist::Dips { .. } | Twist::Errors { .. } | Twist::Death { .. } => {}
            }
        }
        Fate::Ends { after: (ns.round() as Nanos).max(1), failed }
    }

    fn draw(&self, mean: f64, chance: &mut Xoshiro256PlusPlus) -> f64 {
        // Parameters of the log-normal distribution that has this mean and this standard deviation over the mean.
        let variance = (1.0 + self.spread * self.spread).ln();
        match LogNormal::new(mean.max(1.0).ln() - variance / 2.0, variance.sqrt()) {
            Ok(distribution) => distribution.sample(chance),
            Err(_) => mean,
        }
    }
}

fn unit(chance: &mut Xoshiro256PlusPlus) -> f64 {
    Uniform::new(0.0, 1.0).map_or(0.0, |uniform| uniform.sample(chance))
}
