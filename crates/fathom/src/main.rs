//! The program `fathom`: all of it is in the library beside it.

fn main() {
    ceph::leave(fathom::run())
}
