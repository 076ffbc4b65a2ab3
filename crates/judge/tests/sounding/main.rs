//! The judge as a run uses it: recorded series through the whole procedure, and made records through the explanation.

mod behind;
mod caches;
mod compare;
mod distance;
mod doors;
mod durable;
mod fitness;
mod gate;
mod imported;
mod labels;
mod ledger;
mod links;
mod made;
mod outliers;
mod picture;
mod properties;
mod recorded;
mod supply;
mod unwritten;
