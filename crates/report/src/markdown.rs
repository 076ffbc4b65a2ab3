//! The same as the terminal shows, as Markdown, to paste into a ticket.

use crate::answer::{Answer, NOTHING_WRONG};
use crate::{clients, host_loads, limits, matrix, numbers, response, scene, sweep, verdicts, verified, words};
use model::pattern::Family;
use model::{Figure, LedgerRow, Outlier, Pattern, Record, Report, Scope, Standing};

/// The whole run. Texts from the cluster are escaped: a name can make no markup.
pub fn page(report: &Report, record: &Record) -> String {
    let scope = &record.scope;
    let mut head = scene::head(report, scope).into_iter();
    let mut page = format!("# {}\n", escaped(&head.next().unwrap_or_default()));
    for line in head {
        page += &format!("\n{}\n", escaped(&line));
    }
    page += &answer(report);
    let parts = [
        verdicts(report),
        verified(report),
        crate::sustained::page(report),
        sweep(report),
        chart(report),
        scene::speaks(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        ledger(report),
        floor(report),
        targets(report, scope),
        matrix(report),
        crate::ab::page(report),
        limits(report),
        clients(report),
        responses(report),
        beside(report),
        host_loads(report),
        listed("Outliers", report.outliers.iter().map(outlier)),
        findings(report),
        unsettled(report),
        scene::read_from(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        scene::spread(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        scene::both_ways(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        scene::sums(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        scene::without_compaction(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        scene::overhead(report).map_or(String::new(), |text| escaped(&text) + "\n"),
        listed("Warnings", report.warnings.iter().map(|warning| escaped(warning))),
        listed("Errors", report.errors.iter().map(|error| escaped(error))),
        listed("Still there (`fathom restore` undoes it)", scene::left_behind(report).iter().map(|what| escaped(what))),
    ];
    for part in parts.iter().filter(|part| !part.is_empty()) {
        page.push('\n');
        page += part;
    }
    page
}

fn answer(report: &Report) -> String {
    let answer = Answer::of(report);
    let lines: String = answer.wrong_lines().iter().map(|(_, says)| format!("- {}\n", escaped(says))).collect();
    let wrong = if lines.is_empty() { format!("{NOTHING_WRONG}\n") } else { format!("What is wrong:\n\n{lines}") };
    let says = escaped(&answer.says.join(" "));
    format!("\n**{says}**\n\n{wrong}\nNext: {}\n", with_commands(&answer.next))
}

/// What stands between two backticks is a command, and becomes one; nothing else is markup.
fn with_commands(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let part = |(place, part): (usize, &&str)| match place % 2 {
        1 if !part.trim().is_empty() => format!("`{}`", words::tame(part)),
        _ => escaped(part),
    };
    parts.iter().enumerate().map(part).collect()
}

pub(crate) fn table(heading: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(heading);
    text += &line(&vec!["---".to_string(); heading.len()]);
    for row in rows {
        text += &line(&row);
    }
    text
}

fn listed(title: &str, items: impl Iterator<Item = String>) -> String {
    let lines: String = items.map(|item| format!("- {item}\n")).collect();
    if lines.is_empty() { lines } else { format!("## {title}\n\n{lines}") }
}

fn chart(report: &Report) -> String {
    let (layers, patterns) = scene::axes(report);
    if layers.is_empty() {
        return String::new();
    }
    let unit = |pattern: &Pattern| layers.first().map_or("", |layer| pattern.metric(*layer).unit());
    let mut heading = vec!["layer".to_string()];
    heading.extend(patterns.iter().map(|pattern| format!("{}, {}", pattern.name(), unit(pattern))));
    let rows = layers.iter().map(|layer| {
        let cells = patterns.iter().map(|pattern| match scene::cell(report, *layer, *pattern) {
            None => String::new(),
            Some(cell) => match &cell.estimate {
                Some(estimate) => marked(&numbers::figure(estimate, pattern.metric(*layer)).plain(), &cell.label),
                None => format!("{} ({})", numbers::NOTHING, escaped(&cell.label)),
            },
        });
        std::iter::once(layer.name().to_string()).chain(cells).collect()
    });
    let mut text = format!("## Depth chart\n\n{}", table(&heading, rows));
    for (_, cell) in scene::missing(report) {
        let reason = escaped(cell.why.as_deref().unwrap_or("no reason is recorded"));
        text += &format!("\n{} {} is {}: {reason}\n", cell.layer.name(), cell.pattern.name(), escaped(&cell.label));
    }
    text
}

fn marked(value: &str, label: &str) -> String {
    if words::mark(label).is_some() { format!("{value} ({})", escaped(label)) } else { value.to_string() }
}

fn ledger(report: &Report) -> String {
    let mut text = String::new();
    for pattern in Pattern::ALL {
        let mut rows: Vec<&LedgerRow> = report.ledger.iter().filter(|row| row.pattern == pattern).collect();
        rows.sort_by_key(|row| row.layer);
        let Some(first) = rows.first() else { continue };
        let unit = pattern.metric(first.layer).unit();
        let latency = pattern.family() == Family::Latency;
        let titles =
            if latency { ["adds", "expected", "unexplained"] } else { ["less than ceiling", "ceiling", "unexplained"] };
        let heading = [titles[0], titles[1], titles[2]].map(|title| format!("{title}, {unit}"));
        let heading: Vec<String> =
            std::iter::once("layer".to_string()).chain(heading).chain(["share", "because"].map(String::from)).collect();
        let rows = rows.iter().map(|row| {
            let number =
                |value: Option<f64>| value.map_or(numbers::NOTHING.into(), |value| numbers::beside(value, &row.adds));
            vec![
                row.layer.name().to_string(),
                numbers::adds(row).plain(),
                if latency { number(row.expected) } else { numbers::ceiling(row) },
                number(row.unexplained),
                numbers::share_at_most(row),
                escaped(&row.because),
            ]
        });
        text += &format!(
            "{}## Ledger of {}\n\n{}",
            if text.is_empty() { "" } else { "\n" },
            pattern.name(),
            table(&heading, rows)
        );
    }
    text
}

fn clients(report: &Report) -> String {
    if report.doubled.is_empty() {
        return String::new();
    }
    let rows = clients::rows(report);
    let rows = rows.iter().map(|row| row.iter().map(|cell| escaped(cell)).collect());
    let says = clients::says(report).iter().map(|line| format!("\n{}\n", escaped(line))).collect::<String>();
    format!("## {}\n\n{}{says}", clients::TITLE, table(&clients::HEADING.map(String::from), rows))
}

fn floor(report: &Report) -> String {
    let rows = crate::floor::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.iter().map(|row| row.iter().map(|cell| escaped(cell)).collect());
    format!("## {}\n\n{}", crate::floor::TITLE, table(&crate::floor::HEADING.map(String::from), rows))
}

fn targets(report: &Report, scope: &Scope) -> String {
    let tables = scene::targets(report, scope).into_iter().map(|targets| {
        let mut heading = ["target", "host", "device", "class"].map(String::from).to_vec();
        let unit = |pattern: &Pattern| pattern.metric(targets.layer).unit();
        heading.extend(targets.patterns.iter().map(|pattern| format!("{}, {}", pattern.name(), unit(pattern))));
        let rows = targets.rows.iter().map(|row| {
            let mut cells = [row.name, row.host, row.device, row.class].map(escaped).to_vec();
            cells
                .extend(row.figures.iter().map(|figure| figure.map_or(String::new(), |figure| target(report, figure))));
            cells
        });
        format!("## {}\n\n{}\n{}\n", targets.title(), table(&heading, rows), targets.note())
    });
    tables.collect::<Vec<_>>().join("\n")
}

fn target(report: &Report, figure: &Figure) -> String {
    let Some(estimate) = &figure.estimate else { return format!("{} (void)", numbers::NOTHING) };
    let shown = numbers::figure(estimate, figure.metric).plain();
    match (words::holds(&figure.label), scene::outlier(report, figure)) {
        (false, _) => format!("~~{shown}~~ ({})", figure.label.name()),
        (true, Some(_)) => format!("**{shown}** (outlier)"),
        (true, None) => marked(&shown, figure.label.name()),
    }
}

fn verdicts(report: &Report) -> String {
    let rows = verdicts::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.into_iter().map(|(_, cells)| cells.iter().map(|cell| escaped(cell)).collect());
    let table = table(&verdicts::HEADING.map(String::from), rows);
    format!("## Verdicts\n\n{}.\n\n{table}", verdicts::summary(report))
}

fn limits(report: &Report) -> String {
    let Some(title) = limits::title(report) else { return String::new() };
    let cells = |rows: Vec<Vec<String>>| {
        rows.into_iter().map(|row| row.iter().map(|cell| escaped(cell)).collect()).collect::<Vec<_>>()
    };
    let mut text =
        format!("## {}\n\n{}", escaped(&title), table(&limits::HEADING.map(String::from), cells(limits::rows(report))));
    for limit in &report.limits {
        let probes = table(&limits::heading(limit), cells(limits::probes(limit)));
        text += &format!("\nTried: {} {}\n\n{probes}", escaped(&limit.target), limit.pattern.name());
        text += &limits::note(limit).map_or(String::new(), |note| format!("\n{note}\n"));
    }
    text
}

fn responses(report: &Report) -> String {
    let rows = response::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.into_iter().map(|cells| cells.iter().map(|cell| escaped(cell)).collect());
    let heading: Vec<String> = response::heading().into_iter().map(String::from).collect();
    format!("## {}\n\n{}", response::TITLE, table(&heading, rows))
}

fn matrix(report: &Report) -> String {
    let square = |square: matrix::Square| {
        let escape = |cells: Vec<String>| cells.iter().map(|cell| escaped(cell)).collect();
        let heading: Vec<String> = square.heading.iter().map(|cell| escaped(cell)).collect();
        format!("## {}\n\n{}", square.title, table(&heading, square.rows.into_iter().map(escape)))
    };
    matrix::squares(report).into_iter().map(square).collect::<Vec<_>>().join("\n")
}

fn host_loads(report: &Report) -> String {
    let rows = host_loads::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.into_iter().map(|cells| cells.iter().map(|cell| escaped(cell)).collect());
    let table = table(&host_loads::HEADING.map(String::from), rows);
    format!("## {}\n\n{table}\n{}\n", host_loads::TITLE, host_loads::NOTE)
}

fn verified(report: &Report) -> String {
    let Some(summary) = verified::summary(report) else { return String::new() };
    let rows = verified::rows(report).into_iter().map(|(_, cells)| cells.iter().map(|cell| escaped(cell)).collect());
    let flaws: String = verified::flaws(report).iter().map(|flaw| format!("\n- {}", escaped(flaw))).collect();
    let notes: String = verified::notes(report).iter().map(|note| format!("\n{note}\n")).collect();
    let table = table(&verified::HEADING.map(String::from), rows) + &notes;
    let list = if flaws.is_empty() { flaws } else { flaws + "\n" };
    format!("## Verified\n\n{}.\n\n{table}{list}", escaped(&summary))
}

fn sweep(report: &Report) -> String {
    let blocks = sweep::blocks(report).into_iter().map(|block| {
        let last = |row: &sweep::Row| format!("{} {}", row.label, row.mark).trim_end().to_string();
        let rows = block.rows.iter();
        let rows = rows.map(|row| row.cells.iter().cloned().chain([last(row)]).map(|cell| escaped(&cell)).collect());
        let heading: Vec<String> = block.heading.iter().map(|title| escaped(title)).collect();
        let mut text = format!("## {}\n\n{}", escaped(&block.title), table(&heading, rows));
        for sentence in block.knees.iter().chain(&block.reasons) {
            text += &format!("\n{}\n", escaped(sentence));
        }
        text
    });
    blocks.collect::<Vec<_>>().join("\n")
}

fn beside(report: &Report) -> String {
    let figures = scene::beside(report);
    if figures.is_empty() {
        return String::new();
    }
    let rows = figures.into_iter().map(|figure| {
        vec![
            escaped(&figure.target),
            figure.pattern.name().to_string(),
            value(figure),
            escaped(&words::beside_pattern(figure)),
        ]
    });
    format!("## Beside the chart\n\n{}", table(&["target", "pattern", "figure", "workload"].map(String::from), rows))
}

fn value(figure: &Figure) -> String {
    match (&figure.estimate, words::holds(&figure.label)) {
        (Some(_), false) => format!("~~{}~~ ({})", words::value(figure), figure.label.name()),
        _ => marked(&words::value(figure), figure.label.name()),
    }
}

fn outlier(outlier: &Outlier) -> String {
    format!("{} {}: {}", outlier.layer.name(), outlier.pattern.name(), escaped(&outlier.says))
}

fn findings(report: &Report) -> String {
    listed(
        "Findings",
        report.findings.iter().map(|finding| {
            let standing = match finding.standing {
                Standing::Confirmed => "confirmed",
                Standing::Hint => "hint",
            };
            let mut text = format!(
                "**{}** ({standing}, {}): {}",
                escaped(&finding.id),
                escaped(&finding.target()),
                escaped(&finding.says)
            );
            for (name, what) in [
                ("Evidence", finding.evidence.join("; ")),
                ("Fix", finding.fix.clone()),
                ("Risk", finding.risk.clone()),
            ] {
                if !what.is_empty() {
                    text += &format!(" {name}: {}.", escaped(what.trim_end_matches('.')));
                }
            }
            text
        }),
    )
}

fn unsettled(report: &Report) -> String {
    // A sweep says it beside its points.
    let groups = if report.sweep.is_some() { Vec::new() } else { scene::unsettled(report) };
    let meanings: String = scene::meanings(&groups).iter().map(|one| format!("\n- {}", escaped(one))).collect();
    let figures: Vec<&Figure> = groups.into_iter().flat_map(|(_, figures)| figures).collect();
    if figures.is_empty() {
        return String::new();
    }
    let rows = figures.into_iter().map(|figure| {
        vec![
            figure.layer.name().to_string(),
            escaped(&figure.target),
            figure.pattern.name().to_string(),
            value(figure),
            escaped(figure.label.why().unwrap_or("")),
        ]
    });
    let table = table(&["layer", "target", "pattern", "figure", "why"].map(String::from), rows);
    let meanings = if meanings.is_empty() { meanings } else { meanings + "\n" };
    format!("## Not settled\n\n{table}{meanings}")
}

/// Text that stays text: in a table's cell, in a list, in a paragraph.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in words::tame(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '|' | '<' | '>' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
