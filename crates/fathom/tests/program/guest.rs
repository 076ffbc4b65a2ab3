//! Drives of a guest, whose write caches really switch: SATA, SCSI and NVMe.

mod kills;

use crate::common::guest::{Bus, FLUSH_SECONDS, Guest, SlowFlush};
use serde_json::Value;

/// Which drive is which, and what each says of its cache by its own tool: 0 or 1.
const DRIVES: &str = r#"
by_vendor() { grep -l "$1" /sys/block/sd*/device/vendor | head -1 | cut -d/ -f4; }
sata=$(by_vendor ATA); scsi=$(by_vendor QEMU); 
by_serial() { grep -lx "$1 *" /sys/class/nvme/*/serial | cut -d/ -f5; }
nvme=$(by_serial nvme)n1; two=$(by_serial two)
cache() {
    case $1 in
    "$sata") hdparm -W /dev/$1 | sed -n 's/.*write-caching = *\([01]\).*/\1/p' ;;
    "$scsi") sdparm --get=WCE /dev/$1 | sed -n 's/^WCE *\([01]\).*/\1/p' ;;
    *) nvme get-feature /dev/${1%n1} -f 6 | sed -n 's/.*value:\(0x\)*0*\([01]\)$/\2/p' ;;
    esac
}
"#;

/// Each drive is judged with its cache on and off, and is left as it was.
const JUDGE: &str = r#"
for drive in $scsi $sata; do
    [ "$(cache $drive)" = 1 ] || { echo "the cache of $drive is not on at first"; exit 1; }
    $fathom disk /dev/$drive --fit --working-set 8M --duration 300ms --passes 1 --format json > /root/judged-$drive
    [ "$(cache $drive)" = 1 ] || { echo "the cache of $drive was left off"; exit 1; }
done
# By an agent, in its host's journal.
ip netns add elsewhere
$fathom disk /dev/$nvme --fit --hosts netns:elsewhere --working-set 8M --duration 300ms --passes 1 --format json \
    > /root/elsewhere
[ "$(cache $nvme)" = 1 ] || { echo "the cache of $nvme was left off by an agent"; exit 1; }
mv /root/judged-$scsi /root/scsi; mv /root/judged-$sata /root/sata
"#;

/// A cache that is off is tried on, where the kernel follows its drive, and is off again.
const ON: &str = r#"
hdparm -W0 /dev/$sata > /root/hdparm
[ "$(cache $sata)" = 0 ] || { echo "hdparm does not switch the cache of $sata off"; exit 1; }
$fathom disk /dev/$sata --destroy-data-on /dev/$sata --patterns write-latency --working-set 1M --duration 300ms --passes 6 \
    --ab option:host:localhost/drive-cache.$sata=on --format json > /root/sata-off
grep -q '"b": "on"' /root/sata-off || { echo "it was not tried with its cache on"; cat /root/sata-off; exit 1; }
[ "$(cache $sata)" = 0 ] || { echo "the cache of $sata was left on"; exit 1; }
hdparm -W1 /dev/$sata > /root/hdparm
"#;

/// After a kill the kernel knows the two drives by each other's name, as it may after a start of the host.
const RENAMED: &str = r#"
killed $scsi
host=$(readlink -f /sys/block/$sata/device | grep -o 'host[0-9]*' | head -1)
other=$(readlink -f /sys/block/$scsi/device | grep -o 'host[0-9]*' | head -1)
was=$scsi
echo 1 > /sys/block/$sata/device/delete; echo 1 > /sys/block/$scsi/device/delete
scan() { echo "- - -" > /sys/class/scsi_host/$1/scan; for try in $(seq 100); do [ -e /sys/block/$2 ] && return; sleep 0.1; done; }
[ $was = sda ] && { scan $host sda; scan $other sdb; } || { scan $other sda; scan $host sdb; }
sata=$(by_vendor ATA); scsi=$(by_vendor QEMU)
[ "$sata" = $was ] || { echo "the drives did not change their names: $sata, $scsi"; exit 1; }
for try in $(seq 100); do [ -b /dev/$scsi -a -b /dev/$sata ] && break; sleep 0.1; done
hdparm -W0 /dev/$sata > /root/hdparm
[ "$(cache $sata)$(cache $scsi)" = 00 ] || { echo "the caches are not off before restore"; exit 1; }
$fathom restore --yes || exit 1
[ "$(cache $sata)" = 0 ] || { echo "restore switched the cache of a drive that it had never switched"; exit 1; }
[ "$(cache $scsi)" = 1 ] || { echo "restore did not find the drive under its new name"; exit 1; }
[ "$(cat /sys/block/$scsi/queue/write_cache)" = "write back" ] || { echo "the kernel does not flush $scsi any more"; exit 1; }
hdparm -W1 /dev/$sata > /root/hdparm
"#;

/// A drive that is gone when it is to be put back stays in the journal until it is there again.
const AWAY: &str = r#"
killed $scsi
host=$(readlink -f /sys/block/$scsi/device | grep -o 'host[0-9]*' | head -1)
echo 1 > /sys/block/$scsi/device/delete
$fathom restore --yes && { echo "restore says that all is well without the drive"; exit 1; }
scan $host $scsi
for try in $(seq 100); do [ -b /dev/$scsi ] && break; sleep 0.1; done
[ "$(cache $scsi)" = 0 ] || { echo "the cache is on before restore"; exit 1; }
$fathom restore --yes || exit 1
[ "$(cache $scsi)" = 1 ] || { echo "restore forgot the drive that was away"; exit 1; }
"#;

/// Whoever keeps its journals elsewhere does not switch what another run has switched; and two namespaces of one controller have one cache.
const OTHERS: &str = r#"
$fathom disk /dev/$scsi --destroy-data-on /dev/$scsi --patterns write-latency --working-set 1M --duration 300ms --passes 6 \
    --ab option:host:localhost/drive-cache.$scsi=off > /root/run-first 2>&1 &
run=$!
for try in $(seq 300); do [ "$(cache $scsi)" = 0 ] && break; sleep 0.05; done
kill -STOP $run
XDG_DATA_HOME=/tmp/elsewhere $fathom disk /dev/$sata --destroy-data-on /dev/$sata --patterns write-latency --working-set 1M --duration 300ms \
    --passes 6 --ab option:host:localhost/drive-cache.$scsi=on > /root/run-second 2>&1 && { echo "two runs switch one cache"; exit 1; }
kill -CONT $run
wait $run
[ "$(cache $scsi)" = 1 ] || { echo "the cache of $scsi was left off by two runs"; cat /root/run-first /root/run-second; exit 1; }
$fathom disk /dev/${two}n1 --destroy-data-on /dev/${two}n1 --patterns write-latency --working-set 1M --duration 300ms --passes 6 \
    --ab option:host:localhost/drive-cache.${two}n1=off > /root/run-namespace 2>&1 && { echo "a shared cache was switched"; exit 1; }
grep -q "${two}n1, ${two}n2: have one write cache" /root/run-namespace || { cat /root/run-namespace; exit 1; }
"#;

/// Killed while the cache is off: stopped first, so that it is still off when the kill comes.
const KILL: &str = r#"
killed() {
    drive=$1
    $fathom disk /dev/$drive --destroy-data-on /dev/$drive --patterns write-latency --working-set 1M --duration 300ms --passes 6 \
        --ab option:host:localhost/drive-cache.$drive=off > /root/run-$drive 2>&1 &
    run=$!
    for try in $(seq 300); do
        kill -STOP $run || { cat /root/run-$drive; exit 1; }
        [ "$(cache $drive)" = 0 ] && break
        kill -CONT $run
        sleep 0.1
    done
    [ "$(cache $drive)" = 0 ] || { echo "the cache of $drive was never off"; cat /root/run-$drive; exit 1; }
    kill -KILL $run
    wait $run
    [ "$(cache $drive)" = 0 ] || { echo "the cache of $drive is on, and nobody put it back"; exit 1; }
}
for drive in $sata $scsi $nvme; do
    killed $drive
    $fathom restore --yes || exit 1
    [ "$(cache $drive)" = 1 ] || { echo "the cache of $drive was not put back"; exit 1; }
done
"#;

#[test]
fn the_cache_of_a_drive_is_switched_by_its_own_word_and_put_back_whatever_happens() {
    let slow = SlowFlush::start(64 << 20);
    // In memory: how long this host's disk takes for a flush is not what is tried.
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().set_len(64 << 20).unwrap();
        path.display().to_string()
    };
    let drives = [
        (Bus::Sata, file("sata")),
        (Bus::Scsi, slow.address()),
        (Bus::Nvme, file("nvme")),
        (Bus::TwoNamespaces, file("two")),
    ];
    let guest = Guest::run(&drives, &[DRIVES, JUDGE, ON, KILL, RENAMED, AWAY, OTHERS].concat());
    let judged = |name: &str| {
        let text = guest.file(name);
        let run: Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{name}: {text}\n{}", guest.file("output")));
        assert!(run["drives"][0].is_object(), "{run:#}\n{}", guest.file("output"));
        run["drives"][0].clone()
    };
    of_a_slow_flush(&judged("scsi"));
    let sata = judged("sata");
    assert_eq!((&sata["cache"]["on"], &sata["cache"]["flushed"]), (&true.into(), &true.into()), "{sata}");
    assert!(sata["durable_switched"].is_number(), "{sata}");
    let elsewhere = judged("elsewhere");
    assert!(elsewhere["durable_switched"].is_number() && elsewhere["cache"]["on"] == true, "{elsewhere}");
    ran_at(&sata, 31.0);
    ran_at(&elsewhere, 50.0);
}

/// These emulated drives are always equally warm (QEMU's hw/ide/core.c and hw/nvme/ctrl.c). The answer waits for flushes before it.
fn ran_at(drive: &Value, celsius: f64) {
    let before = drive["health"]["temperature"].as_f64().unwrap_or_else(|| panic!("{drive:#}"));
    let asked = drive["temperatures"].as_array().unwrap();
    assert!(!asked.is_empty(), "{drive:#}");
    let all = asked.iter().map(|at| at[1].as_f64().unwrap()).chain([before]);
    { all }.for_each(|found| assert!((found - celsius).abs() < 1.0, "{found}, and not {celsius} °C"));
}

/// No write of it is durable sooner than its flush allows, with its cache on or off: that is what is told, and what the verdict rests on.
fn of_a_slow_flush(drive: &Value) {
    let most = 1.0 / FLUSH_SECONDS;
    let number = |name: &str| drive[name].as_f64().unwrap_or_else(|| panic!("{name}: {drive:#}"));
    assert!(number("durable") <= most && number("durable_switched") <= most, "{drive}");
    // An interval of few operations may be too wide for an answer, which is said; any other answer is wrong.
    let decided = drive["fitness"] == "unfit";
    assert!(decided || drive["fitness"] == "open", "{drive}");
    let reasons: Vec<&str> =
        drive["reasons"].as_array().unwrap().iter().filter_map(|reason| reason["reason"].as_str()).collect();
    assert!(!decided || reasons.contains(&"slower-than-osds"), "{drive}");
    let helps = number("durable_switched") > number("durable");
    let told = |reason: &str| reasons.contains(&reason);
    let known = told("cache-off-does-not-help") || told("cache-off-unknown");
    assert!(known || (told("cache-off-helps") && helps), "{drive}");
    assert!(!told("nothing-emptied"), "a flush is not for nothing: {drive}");
}
