//! A headless Chromium driven over its debugging pipe: messages are JSON, ended by NUL. One that a test has done with serves the next, in a
//! browser context of its own: starting costs more than most tests.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Far beyond what any step needs on a slow machine: only a browser that hangs gets there.
const TIMEOUT: Duration = Duration::from_secs(120);
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// Those that wait for a test.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Ends when its pipe does, which is with the tests.
struct Process {
    to: ChildStdin,
    from: Receiver<Value>,
    last_id: u64,
}

/// A page in a browser.
pub struct Browser {
    /// None once it is given back.
    process: Option<Process>,
    folder: tempfile::TempDir,
    context: Value,
    session: String,
    /// Events since the page was opened.
    events: VecDeque<Value>,
}

impl Process {
    fn start() -> Process {
        let program = NAMES.into_iter().find_map(in_path).unwrap_or_else(|| {
            panic!("no Chromium is installed, in which the report is tested: install the package chromium")
        });
        let home = tempfile::tempdir().expect("a temporary folder").keep();
        // The browser speaks on descriptors 3 and 4; its files go when it has ended.
        let mut child = Command::new("sh")
            .args(["-c", "\"$0\" \"$@\" 3<&0 4>&1 </dev/null >&2; rm -rf \"$HOME\""])
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", home.join("profile").display()))
            .env("HOME", &home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let to = child.stdin.take().expect("stdin is piped");
        let from = listen(BufReader::new(child.stdout.take().expect("stdout is piped")), child);
        Process { to, from, last_id: 0 }
    }

    fn receive(&self, waiting_for: &str) -> Value {
        self.from.recv_timeout(TIMEOUT).unwrap_or_else(|error| panic!("waiting for {waiting_for}: {error}"))
    }
}

impl Browser {
    pub fn start() -> Browser {
        let idle = IDLE.lock().unwrap().pop();
        let process = Some(idle.unwrap_or_else(Process::start));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (context, session, events) = (Value::Null, String::new(), VecDeque::new());
        let mut browser = Browser { process, folder, context, session, events };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        self.context = self.call("Target.createBrowserContext", json!({}))["browserContextId"].clone();
        let page = json!({"url": "about:blank", "browserContextId": self.context});
        let target = self.call("Target.createTarget", page);
        let attached = self.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        self.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Shows `html` as a file of its own, `hash` (`#figure/…`) in the address; returns when everything is drawn.
    pub fn open(&mut self, html: &str, hash: &str) {
        let file = self.folder.path().join("report.html");
        std::fs::write(&file, html).expect("the page is written");
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.wait_for("Page.loadEventFired");
        self.events.clear();
        self.call("Page.navigate", json!({"url": format!("file://{}{hash}", file.display())}));
        self.wait_for("Page.loadEventFired");
        self.drawn();
    }

    /// Charts draw themselves when their place has a size; two frames later they have.
    pub fn drawn(&mut self) {
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))");
    }

    /// The value of a JavaScript expression; promises are awaited.
    pub fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}\n{:#}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, expression: &str) -> String {
        match self.eval(expression) {
            Value::String(text) => text,
            other => panic!("{expression} is no text: {other}"),
        }
    }

    pub fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        self.eval(&format!("document.querySelectorAll({selector}).length")).as_u64().expect("a number")
    }

    pub fn size(&mut self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// As on paper.
    pub fn print(&mut self) {
        self.size(780, 1100);
        self.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    }

    /// Prints it, as the browser's own dialog would; what it looks like is not kept.
    pub fn print_out(&mut self) {
        self.call("Page.printToPDF", json!({}));
    }

    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key}));
        }
    }

    /// Clicks the element and returns the file that it saves.
    pub fn download(&mut self, selector: &str) -> (String, String) {
        let folder = self.folder.path().join("saved");
        let asked = json!({"behavior": "allow", "downloadPath": folder, "eventsEnabled": true, "browserContextId": self.context});
        self.call("Browser.setDownloadBehavior", asked);
        self.eval(&format!("document.querySelector({}).click()", json!(selector)));
        let begun = self.wait_for("Browser.downloadWillBegin");
        let name = begun["params"]["suggestedFilename"].as_str().expect("a file name").to_owned();
        while self.wait_for("Browser.downloadProgress")["params"]["state"] != "completed" {}
        let content = std::fs::read_to_string(folder.join(&name)).expect("the saved file");
        (name, content)
    }

    /// The whole page as PNG, for eyes.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({"format": "png", "captureBeyondViewport": true}));
        decode(shot["data"].as_str().expect("base64"))
    }

    /// Errors and warnings of the page since it was opened, and every request for something outside of it.
    pub fn complaints(&mut self) -> Vec<String> {
        self.eval("0");
        self.events.iter().filter_map(complaint).collect()
    }

    fn wait_for(&mut self, method: &str) -> Value {
        if let Some(at) = self.events.iter().position(|event| event["method"] == method && event["seen"].is_null()) {
            self.events[at]["seen"] = Value::Bool(true);
            return self.events[at].clone();
        }
        loop {
            let mut message = self.process().receive(method);
            let found = message["method"] == method;
            if found {
                message["seen"] = Value::Bool(true);
            }
            self.events.push_back(message.clone());
            if found {
                return message;
            }
        }
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("given back only at the end")
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let session = self.session.clone();
        let process = self.process();
        process.last_id += 1;
        let id = process.last_id;
        let mut message = json!({"id": id, "method": method, "params": params});
        if !session.is_empty() && !method.starts_with("Target.") && !method.starts_with("Browser.") {
            message["sessionId"] = json!(session);
        }
        process.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.process().receive(method);
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push_back(answer);
        }
    }
}

impl Drop for Browser {
    /// After a failed test nobody knows what it is doing: its pipe is closed, and it ends.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.call("Target.disposeBrowserContext", json!({"browserContextId": self.context}));
            IDLE.lock().unwrap().extend(self.process.take());
        }
    }
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Until the browser ends.
fn listen(mut pipe: impl BufRead + Send + 'static, mut child: Child) -> Receiver<Value> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut message = Vec::new();
        while matches!(pipe.read_until(0, &mut message), Ok(n) if n > 0) {
            message.pop();
            let Ok(value) = serde_json::from_slice(&message) else { break };
            if send.send(value).is_err() {
                break;
            }
            message.clear();
        }
        drop(send);
        let _ = child.wait();
    });
    receive
}

fn complaint(event: &Value) -> Option<String> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => Some(format!("exception: {}", params["exceptionDetails"])),
        "Runtime.consoleAPICalled" => Some(format!("console.{}: {}", params["type"], params["args"])),
        "Log.entryAdded" => Some(format!("log: {}", params["entry"])),
        "Network.requestWillBeSent" => {
            let url = params["request"]["url"].as_str().unwrap_or_default();
            let inside = ["file://", "data:", "blob:"].iter().any(|scheme| url.starts_with(scheme));
            (!inside || (url.starts_with("file://") && !url.contains("/report.html")))
                .then(|| format!("request: {url}"))
        }
        _ => None,
    }
}

fn decode(base64: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = base64.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let (mut bits, mut held, mut bytes) = (0u32, 0, Vec::new());
    for digit in digits {
        bits = bits << 6 | digit as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
