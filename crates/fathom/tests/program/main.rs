//! Tests of the program as its users run it: real clusters, disks, hosts and kills. One binary, so that processors are
//! never without a test while there is one left.

// Tests begin in the order of their names.
mod audit;
mod bad_input;
mod cluster;
mod clusters;
mod common;
mod crash;
mod crosscheck;
mod data_pools;
mod devices;
mod effort;
mod faults;
mod file;
mod fitness;
mod floor;
mod guest;
mod guests;
mod hostile_agent;
mod hosts;
mod hosts_as_here;
mod image_caches;
mod image_states;
mod in_a_guest;
mod judging;
mod lab;
mod lab_faults;
mod lab_services;
mod languages;
mod object;
mod reports_and_ends;
mod sustained;
mod sweep;
mod verify;
