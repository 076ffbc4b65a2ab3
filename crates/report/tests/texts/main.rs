//! What reports say as text, as documents, as metrics and while a run goes on, without a browser.

mod answer;
mod any_report;
mod anything;
mod blocks;
mod comparisons;
mod diagnosis;
mod document;
mod export;
mod gateways;
mod golden;
mod golden_file;
mod image_states;
mod lasting;
mod progress;
mod report_bundle;
mod sample;
mod schema;
