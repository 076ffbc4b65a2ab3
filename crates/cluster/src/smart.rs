//! What a drive says of its health, by smartctl (smartmontools), which knows the makers' ways of saying it.

use model::DriveHealth;
use serde_json::Value;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Seconds: a drive that answers its log pages later is not waited for.
const SECONDS: u64 = 10;
/// A program that was told to end has this long for it.
const ENDS_WITHIN: Duration = Duration::from_secs(2);
/// Bytes: a drive with every log full tells some hundred thousand.
const LONGEST_ANSWER: u64 = 4 << 20;
/// As `timeout` ends when there is no such program.
const NOT_THERE: i32 = 127;
const TIMED_OUT: i32 = 124;

/// ATA attributes by their numbers: reallocated sectors, pending ones, and those that could not be corrected.
const REALLOCATED: u64 = 5;
const PENDING: u64 = 197;
const UNCORRECTED: u64 = 198;
/// The page of an SSD's device statistics (ACS-4, 9.5.10).
const SSD_PAGE: u64 = 7;

/// Of a disk, as in /sys/block.
///
/// # Errors
/// It is not known: why.
pub fn health(disk: &str) -> Result<DriveHealth, String> {
    of(&asked(
        disk,
        &["--info", "--health", "--attributes", "--capabilities", "--log=devstat", "--log=scttempsts", "--log=error"],
    )?)
}

/// °C now; `None`: it is not known.
pub fn temperature(disk: &str) -> Option<f64> {
    temperature_in(&asked(disk, &["--attributes"]).ok()?)
}

fn temperature_in(told: &Value) -> Option<f64> {
    told.pointer("/temperature/current").and_then(Value::as_f64).filter(|celsius| PLAUSIBLE.contains(celsius))
}

/// °C that a drive can have and still answer; 0 is what many say that do not know.
pub(crate) const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1.0..=150.0;

/// What smartctl says of it, within [`SECONDS`].
fn asked(disk: &str, what: &[&str]) -> Result<Value, String> {
    let path = format!("/dev/{}", disk.replace('!', "/"));
    let mut smartctl = Command::new("timeout");
    smartctl.env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/sbin").env("LC_ALL", "C");
    smartctl.args(["--kill-after=1", &SECONDS.to_string(), "smartctl", "--json=c"]).args(what).arg(&path);
    smartctl.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A drive that hangs in the kernel keeps even a killed program: it is left behind.
    let (tell, told) = channel();
    std::thread::spawn(move || drop(tell.send(said(&mut smartctl))));
    let late = || format!("it did not answer smartctl within {SECONDS} s");
    let (status, text) = told
        .recv_timeout(Duration::from_secs(SECONDS) + ENDS_WITHIN)
        .map_err(|_| late())?
        .map_err(|error| format!("smartctl: {error}"))?;
    match status.code() {
        Some(NOT_THERE) => return Err("smartctl is not installed on its host: apt install smartmontools".to_string()),
        Some(TIMED_OUT) => return Err(late()),
        _ => {}
    }
    serde_json::from_slice(&text).map_err(|_| "smartctl told nothing of it".to_string())
}

/// How a program ended, and what it wrote, of which no more is kept than a drive can have to say.
fn said(program: &mut Command) -> std::io::Result<(ExitStatus, Vec<u8>)> {
    let mut running = program.spawn()?;
    let mut text = Vec::new();
    if let Some(out) = running.stdout.take() {
        out.take(LONGEST_ANSWER).read_to_end(&mut text)?;
    }
    Ok((running.wait()?, text))
}

fn of(told: &Value) -> Result<DriveHealth, String> {
    let number = |path: &str| told.pointer(path).and_then(Value::as_u64);
    let ata = |id: u64| {
        let table = told.pointer("/ata_smart_attributes/table")?.as_array()?;
        let one = table.iter().find(|one| one["id"].as_u64() == Some(id))?;
        one.pointer("/raw/value").and_then(Value::as_u64)
    };
    let text = |path: &str| told.pointer(path).and_then(Value::as_str).map(|text| text.trim().to_string());
    let health = DriveHealth {
        serial: text("/serial_number"),
        firmware: text("/firmware_version").or_else(|| text("/scsi_revision")),
        model: text("/model_name").or_else(|| text("/scsi_model_name")).filter(|model| !model.is_empty()),
        passed: passed(told),
        used: used(told),
        temperature: temperature_in(told),
        temperature_most: number("/nvme_composite_temperature_threshold/warning")
            .or_else(|| number("/temperature/op_limit_max"))
            .or_else(|| number("/temperature/drive_trip"))
            .filter(|celsius| *celsius > 0)
            .map(|celsius| celsius as f64),
        hours: number("/power_on_time/hours"),
        reallocated: ata(REALLOCATED).or_else(|| number("/scsi_grown_defect_list")),
        pending: ata(PENDING),
        uncorrected: ata(UNCORRECTED)
            .or_else(|| number("/nvme_smart_health_information_log/media_errors"))
            .or_else(|| of_scsi(told)),
    };
    let facts = DriveHealth { serial: None, firmware: None, model: None, ..health.clone() };
    match facts == DriveHealth::default() {
        true => Err(why_nothing(told)),
        false => Ok(health),
    }
}

/// Errors that a SCSI drive could not correct, of all it counts: reads, writes and verifications.
fn of_scsi(told: &Value) -> Option<u64> {
    let counters = told.get("scsi_error_counter_log")?.as_object()?;
    let each = counters.values().filter_map(|counter| counter["total_uncorrected_errors"].as_u64());
    each.reduce(u64::saturating_add)
}

/// Of NVMe without the warning that it is too hot, or too cold: that is no drive that fails.
fn passed(told: &Value) -> Option<bool> {
    const TEMPERATURE: u64 = 1 << 1;
    let warnings = told.pointer("/smart_status/nvme/value").and_then(Value::as_u64);
    let said = || told.pointer("/smart_status/passed")?.as_bool();
    warnings.map_or_else(said, |warnings| Some(warnings & !TEMPERATURE == 0))
}

/// Of an SSD; a disk has no such limit.
fn used(told: &Value) -> Option<f64> {
    let statistics = || {
        let pages = told.pointer("/ata_device_statistics/pages")?.as_array()?;
        let ssd = pages.iter().find(|page| page["number"].as_u64() == Some(SSD_PAGE))?;
        let used = |one: &&Value| one["name"].as_str().is_some_and(|name| name.starts_with("Percentage Used"));
        ssd["table"].as_array()?.iter().find(used)?["value"].as_f64()
    };
    let log = || told.pointer("/nvme_smart_health_information_log/percentage_used")?.as_f64();
    let scsi = || told.pointer("/scsi_percentage_used_endurance_indicator")?.as_f64();
    log().or_else(scsi).or_else(statistics)
}

fn why_nothing(told: &Value) -> String {
    let messages = told.pointer("/smartctl/messages").and_then(Value::as_array).into_iter().flatten();
    let says = { messages }.find_map(|message| message["string"].as_str()).unwrap_or_default();
    match says {
        "" => "the drive tells nothing of its health".to_string(),
        says => format!("smartctl: {says}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn each_kind_of_drive_tells_it_in_its_own_way() {
        let ata = json!({
            "serial_number": " S1 ", "firmware_version": "D1", "model_name": "Samsung SSD 870 QVO 1TB", "smart_status": {"passed": true}, "temperature": {"current": 31, "op_limit_max": 60},
            "power_on_time": {"hours": 9000},
            "ata_smart_attributes": {"table": [
                {"id": 5, "raw": {"value": 3}}, {"id": 197, "raw": {"value": 2}}, {"id": 198, "raw": {"value": 0}}]},
            "ata_device_statistics": {"pages": [{"number": 7, "table": [{"name": "Percentage Used Endurance Indicator", "value": 12}]}]}
        });
        let sata = DriveHealth {
            serial: Some("S1".into()),
            firmware: Some("D1".into()),
            model: Some("Samsung SSD 870 QVO 1TB".into()),
            passed: Some(true),
            used: Some(12.0),
            temperature: Some(31.0),
            temperature_most: Some(60.0),
            hours: Some(9000),
            reallocated: Some(3),
            pending: Some(2),
            uncorrected: Some(0),
        };
        assert_eq!(of(&ata), Ok(sata));
        let nvme = json!({"smart_status": {"passed": false}, "temperature": {"current": 0},
            "nvme_smart_health_information_log": {"percentage_used": 104, "media_errors": 7}});
        let told = of(&nvme).unwrap();
        assert_eq!((told.passed, told.used, told.uncorrected), (Some(false), Some(104.0), Some(7)));
        assert_eq!((told.temperature, told.pending), (None, None), "0 °C is no temperature");
        let hot =
            |value: u64| of(&json!({"smart_status": {"passed": false, "nvme": {"value": value}}})).unwrap().passed;
        assert_eq!((hot(2), hot(4)), (Some(true), Some(false)), "too hot is no failure");
        let scsi = of(&json!({"scsi_grown_defect_list": 4, "scsi_percentage_used_endurance_indicator": 1})).unwrap();
        assert_eq!((scsi.reallocated, scsi.used, scsi.uncorrected), (Some(4), Some(1.0), None));
        let counters = json!({"read": {"total_uncorrected_errors": 2}, "write": {"total_uncorrected_errors": 1}});
        assert_eq!(of(&json!({"scsi_error_counter_log": counters})).unwrap().uncorrected, Some(3));
    }

    #[test]
    fn a_drive_that_tells_nothing_has_a_reason() {
        let messages = json!({"serial_number": "x", "model_name": "y", "smartctl": {"messages": [{"string": "Unable to detect device type"}]}});
        assert_eq!(of(&messages), Err("smartctl: Unable to detect device type".to_string()));
        assert_eq!(of(&json!({})), Err("the drive tells nothing of its health".to_string()));
        assert!(health("none0").is_err());
    }

    proptest! {
        #[test]
        fn no_answer_breaks_it(id in any::<i64>(), raw in any::<f64>(), text in ".*") {
            let odd = json!({"ata_smart_attributes": {"table": [{"id": id, "raw": {"value": raw}}, text]}, "temperature": text,
                "ata_device_statistics": {"pages": [{"number": 7, "table": text}]}});
            let _ = of(&odd);
        }
    }
}
