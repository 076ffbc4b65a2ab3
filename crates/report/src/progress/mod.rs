//! How a run goes on, on standard error: bars on a terminal, plain lines elsewhere, nothing if asked to be quiet.

mod bars;
mod course;
mod lines;

use crate::sections::CHART;
use crate::terminal::{self, Style};
use bars::Bars;
use course::Course;
use lines::Lines;
use model::{Event, Report, Scope, Subscriber};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Where the time comes from.
pub type Now = Box<dyn Fn() -> Duration + Send>;

/// The face that shows progress.
pub struct Progress {
    course: Course,
    style: Style,
    out: Out,
}

enum Out {
    Bars(Bars),
    Lines(Lines),
    Nothing,
}

impl Progress {
    /// On standard error, as it fits: `quiet`: nothing; a terminal: bars; else lines, which carry no colours.
    pub fn stderr(quiet: bool, style: Style) -> Progress {
        let begun = Instant::now();
        let course = Course::new(Box::new(move || begun.elapsed()));
        if !quiet && io::stderr().is_terminal() {
            return Progress { course, style, out: Out::Bars(Bars::new()) };
        }
        let out = if quiet { Out::Nothing } else { Out::Lines(Lines::new(Box::new(io::stderr()))) };
        Progress { course, style: Style { colours: false, ..style }, out }
    }

    /// Plain lines to `out`; `now` is the time since any fixed instant.
    pub fn lines(out: Box<dyn Write + Send>, style: Style, now: Now) -> Progress {
        Progress { course: Course::new(now), style, out: Out::Lines(Lines::new(out)) }
    }

    /// One or more whole lines, above the bar if there is one.
    fn say(&mut self, text: &str) -> io::Result<()> {
        match &mut self.out {
            Out::Bars(bars) => {
                bars.say(text);
                Ok(())
            }
            Out::Lines(lines) => lines.say(text),
            Out::Nothing => Ok(()),
        }
    }

    fn show_pass(&mut self, pass: u32, report: &Report) -> io::Result<()> {
        let done = self.course.pass_done(pass, report);
        if report.figures.is_empty() {
            return self.say(&format!("{done}\n"));
        }
        self.say(&format!("{done}\n\n{}\n", terminal::text(&[CHART.filled(report, &Scope::default())], &self.style)))
    }
}

impl Progress {
    fn show(&mut self, event: &Event) -> io::Result<()> {
        self.course.take(event);
        match event {
            Event::Progress { what, share } => match &mut self.out {
                Out::Bars(bars) => bars.prepare(self.course.phase(), what, *share),
                Out::Lines(lines) => lines.prepare(what, *share, self.course.now())?,
                Out::Nothing => {}
            },
            Event::StepStarted { .. } => {
                if let Out::Bars(bars) = &mut self.out {
                    bars.step(&self.course);
                }
            }
            Event::StepFinished { slices, .. } => match &mut self.out {
                Out::Bars(bars) => bars.step_done(&self.course, slices),
                Out::Lines(lines) => lines.say(&self.course.step_done(slices))?,
                Out::Nothing => {}
            },
            Event::PassFinished { pass, report } => self.show_pass(*pass, report)?,
            Event::RunFinished { .. } => {
                if let Out::Bars(bars) = &mut self.out {
                    bars.end();
                }
            }
            _ => {}
        }
        match self.course.remark(event) {
            Some(remark) => self.say(&remark),
            None => Ok(()),
        }
    }
}

/// Where progress can't be written, the run goes on without: it is no reason to lose what is measured.
impl Subscriber for Progress {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        if self.show(event).is_err() {
            self.out = Out::Nothing;
        }
        Ok(())
    }

    fn finish(&mut self, _report: &Report) -> io::Result<()> {
        match &mut self.out {
            Out::Bars(bars) => bars.end(),
            // As above.
            Out::Lines(lines) => drop(lines.flush()),
            Out::Nothing => {}
        }
        Ok(())
    }
}
