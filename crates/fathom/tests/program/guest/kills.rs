//! `kill -9` at random instants while drives are judged with their caches on and off: after `fathom restore` each cache is as before, by the
//! drive's own word and by the kernel's. `FATHOM_KILLS=20` (`make kills`) says how many; `FATHOM_SEED` repeats a series.

use super::DRIVES;
use crate::common::guest::{Bus, Guest};
use std::fs::File;

/// It takes some ten seconds.
const KILLS: u64 = 1;
/// As many as a guest has time for.
const KILLS_MOST: u64 = 30;

/// Half of the kills come at any instant of a run; the others while a change is written down, made, or undone, which its journal shows.
const SCRIPT: &str = r#"
set_cache() {
    case $1 in
    "$sata") hdparm -W$2 /dev/$1 ;;
    "$scsi") sdparm $([ $2 = 1 ] && echo --set=WCE || echo --clear=WCE) /dev/$1; echo 1 > /sys/block/$1/device/rescan ;;
    *) nvme set-feature /dev/${1%n1} -f 6 -v $2 ;;
    esac > /root/tool 2>&1
}
kernel() { cat /sys/block/$1/queue/write_cache; }
journals=/tmp/data/fathom/journal
# The first line of a journal says whose it is, each other one is of a change.
written() { lines=(); mapfile -t lines 2>/dev/null < $journals/*.journal; [ ${#lines[@]} -gt 1 ]; }
# A child that has ended stays until it is waited for.
is_running() { local stat; read -r stat 2>/dev/null < /proc/$1/stat && [[ $stat != *") Z "* ]]; }
mkfifo /tmp/quiet; exec 9<> /tmp/quiet
pause() { local ms; printf -v ms '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); read -t $ms -u 9; }
RANDOM=$seed
all=($sata $scsi $nvme)
for kill in $(seq $kills); do
    drive=${all[$((kill % 3))]}
    set_cache $drive $((RANDOM % 4 > 0)); before="$(cache $drive), $(kernel $drive)"
    $fathom disk /dev/$drive --destroy-data-on /dev/$drive --fit --working-set 8M --duration 100ms --passes 1 > /root/fit 2>&1 &
    run=$!
    how="at an instant"; after=$((RANDOM % 12000))
    if [ $((RANDOM % 2)) = 0 ]; then
        how="near a switch"; after=$((RANDOM % 1500))
        until=$((SECONDS + 120))
        while [ $SECONDS -lt $until ] && is_running $run && ! written; do pause 5; done
    fi
    pause $after
    ended=""; is_running $run || ended=", it had ended"
    kill -KILL $run 2>/dev/null
    wait $run 2>/dev/null; code=$?
    [ -z "$ended" ] || case $code in 0 | 4 | 5) ;; *) echo "it ended with $code"; cat /root/fit; exit 1 ;; esac
    between="$(cache $drive), $(kernel $drive)"
    $fathom restore --yes > /root/restored 2>&1 || { echo "restore failed"; cat /root/restored; exit 1; }
    now="$(cache $drive), $(kernel $drive)"
    echo "kill $kill (seed $seed): $drive, $how + $after ms$ended; before $before; killed $between; restored $now" | tee -a /root/kills
    [ "$now" = "$before" ] || { cat /root/fit /root/restored; exit 1; }
    ls $journals/*.journal > /root/left 2>/dev/null && { echo "a journal was left"; exit 1; }
done
exit 0
"#;

#[test]
fn a_run_for_fitness_that_is_killed_anywhere_leaves_the_caches_of_drives_as_before() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let kills = number("FATHOM_KILLS").unwrap_or(KILLS).min(KILLS_MOST);
    // Of bash's numbers from a seed, which has 15 bits.
    let seed = number("FATHOM_SEED").unwrap_or_else(rand::random) % 32_768;
    println!("seed {seed}");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let drive = |(bus, name): (Bus, &str)| {
        let path = folder.path().join(name);
        File::create(&path).unwrap().set_len(64 << 20).unwrap();
        (bus, path.display().to_string())
    };
    let drives = [(Bus::Sata, "sata"), (Bus::Scsi, "scsi"), (Bus::Nvme, "nvme")].map(drive);
    let numbers = format!("kills={kills}\nseed={seed}\n");
    let guest = Guest::run(&drives, &[&numbers, DRIVES, SCRIPT].concat());
    let told = guest.file("kills");
    println!("{told}");
    assert_eq!(told.lines().count() as u64, kills, "{}", guest.file("output"));
}
