//! Samples made for tests.
