//! Object gateways: their pools and frontends.

pub mod rgw_bucket_shards;
pub mod rgw_cache_off;
pub mod rgw_concurrency;
pub mod rgw_in_small_vm;
pub mod rgw_index_few_pgs;
pub mod rgw_index_slow_media;
pub mod rgw_lc_debug;
pub mod rgw_nagle;
pub mod rgw_old_frontend;
pub mod rgw_ops_log;
pub mod rgw_put_window;
pub mod rgw_resharding_off;
pub mod rgw_small_on_ec;
pub mod rgw_sse_kms;
pub mod rgw_too_few;
