//! What goes on in the cluster while it is looked at or measured: it is in all figures.

pub mod st_flags;
