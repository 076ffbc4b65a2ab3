//! What runs leave that do not end, and what `fathom restore` undoes of it: everything of theirs, and nothing of others.

mod journals;
mod killed_agent;
mod kills;
mod prove_kills;
mod unconfirmed;
