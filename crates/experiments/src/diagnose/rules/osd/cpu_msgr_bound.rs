//! A thread of an OSD's messenger uses up a processor.

use super::threads;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};

pub static RULE: Rule = Rule {
    id: "cpu-msgr-bound",
    about: Area::Osd,
    what: "A thread of an OSD's messenger (msgr-worker) uses up a processor: the connections that it serves get no faster.",
    why: "Each connection is served by one of these threads, three as Ceph is delivered. Three full ones held a virtual machine back at 123,000 reads of 16 KiB a second; with four or five threads \
          large transfers of erasure-coded pools got faster.",
    evidence: "While a pool or OSD was loaded with many operations at once or large ones, for at least 4 s, one msgr-worker thread of an OSD used at least 90 % of a processor, and all processors of its host together worked \
               for less than 70 % of their time.",
    sources: &[
        "ceph.io blog, 2022: qemu-kvm-tuning",
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "thresholds are our proposal",
    ],
    needs: &[Source::HostLoads],
    suspect,
    fix: "look first at what makes each message expensive (encryption, compression of messages, debug logging of the messenger); then ms_async_op_threads 4 or 5 for OSDs, which needs a restart, or \
          more clients, whose connections spread over the threads",
    risk: "more threads of the messenger brought laggy placement groups in one large cluster",
    confirm: "fathom prove osd/ms_async_op_threads=5 --restart osd measures with both, slice beside slice, and restarts the OSDs for it",
    tried: Tried::Facts,
    ..Rule::USUAL
};

/// If the process of that OSD is known to be slow, this is how.
pub const FOLLOWS: Explains = threads::of_the_same_osd(&RULE);

fn suspect(case: &Case) -> Vec<Suspect> {
    threads::full(case, |kind| (kind == "msgr-worker").then_some("a thread of the messenger"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::rules::osd::threads::testing::{load, nothing_else_is_told, told};

    #[test]
    fn a_full_thread_of_the_messenger_is_told() {
        let [subject, says, evidence] = told(&RULE, &[load("msgr-worker", &[(3, 0.99)])]).remove(0);
        assert_eq!(subject, "osd.3");
        assert_eq!(says, "a thread of the messenger of osd.3 (msgr-worker) uses up a processor while others are free");
        assert!(
            evidence.contains("in each second the busiest msgr-worker of osd.3, 99 % of a processor in the mean"),
            "{evidence}"
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_so_or_not_known() {
        nothing_else_is_told(&RULE, "msgr-worker");
        assert!(told(&RULE, &[load("bstore_kv_sync", &[(3, 1.0)])]).is_empty());
    }

    #[test]
    fn three_threads_that_are_half_full_are_not_one_that_is_full() {
        let mut load = load("msgr-worker", &[(3, 0.5)]);
        load.mean.osds[0].threads.values_mut().for_each(|used| *used = 1.5);
        assert!(told(&RULE, &[load]).is_empty());
    }
}
