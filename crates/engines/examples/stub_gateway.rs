//! `stub_gateway`: prints the address of a server that keeps what it is put and gives it back, and serves until it is ended.

#[path = "../tests/stub/mod.rs"]
mod stub;

fn main() {
    println!("{}", stub::start());
    loop {
        std::thread::park();
    }
}
