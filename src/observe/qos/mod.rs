//! Asks a process on its QOS port: commands of a closed list, over HTTP and, where that does not serve, over telnet.
//!
//! A port is anybody's: it may be silent, endless, slow, or no QOS at all. Whatever it does is an answer within the
//! limits, and becomes a line of the recording.

mod http;
mod telnet;

use crate::{
    model::{
        qos::{Answer, Command, Refusal, read},
        service_key::ServiceKey,
    },
    observe::{Answers, Deadline, Failure, probe::tcp},
    snapshot::{ErrKind, Key, Line, Payload, SourceId, Want},
};

/// Most bytes of an answer: `getConfig` of a large process is a tenth of it.
const MOST_BYTES: usize = 4 << 20;

/// A port that let so many commands wait in vain is not asked further.
const MOST_LATE: u8 = 3;

/// The QOS port of one process.
#[derive(Debug)]
pub struct Qos {
    source: SourceId,
    endpoint: String,
    commands: Vec<Command>,
    version: Option<String>,
    /// It answered something.
    answered: bool,
    /// HTTP hung or was cut where telnet answered (an old JDK): the rest is asked over telnet alone.
    only_telnet: bool,
    /// How many commands had no answer in time.
    late: u8,
    /// The port serves nobody from here: nothing further is asked.
    lost: bool,
}

/// How an answer came.
struct Heard {
    form: &'static str,
    http: Option<u16>,
    text: Result<String, Failure>,
}

impl Qos {
    /// The port at `host:port`, to be asked about these services; nobody is asked yet.
    pub fn new(source: SourceId, endpoint: &str, services: &[ServiceKey]) -> Self {
        let mut commands: Vec<Command> = services.iter().flat_map(Command::about).collect();
        if commands.is_empty() {
            commands = Command::general();
        }
        // Wanted by those who look for times only.
        commands.push(Command::Metrics);
        let mut known = Vec::new();
        commands.retain(|command| {
            let new = !known.contains(command);
            known.push(command.clone());
            new
        });
        Self {
            source,
            endpoint: endpoint.to_owned(),
            commands,
            version: None,
            answered: false,
            only_telnet: false,
            late: 0,
            lost: false,
        }
    }

    /// The source whose facts it fetches.
    pub fn source(&self) -> &SourceId {
        &self.source
    }

    /// The commands of its list that are wanted. What is wanted and not on the list cannot be sent.
    fn wanted(&self, wants: &[Want]) -> Vec<Command> {
        let asked = |command: &&Command| {
            let key = Key::qos(command.to_string());
            wants
                .iter()
                .any(|want| want.source == self.source && want.key == key)
        };
        self.commands.iter().filter(asked).cloned().collect()
    }

    /// Asks for everything that is wanted of this source.
    pub async fn fetch(&mut self, wants: &[Want], deadline: &Deadline, answers: &Answers) {
        for command in self.wanted(wants) {
            if self.lost {
                return;
            }
            let heard = self.ask(&command, deadline).await;
            let payload = match &heard.text {
                Ok(text) => Payload::Text(text.clone()),
                Err(failure) => failure.payload(),
            };
            let mut line =
                Line::new(Key::qos(command.to_string()), payload).with("form", heard.form);
            if let Some(status) = heard.http {
                line = line.with_http(status);
            }
            answers.put(line);
            if deadline.passed() {
                return;
            }
        }
    }

    /// One command: over HTTP, which has an end and a status; a port that does not speak it is asked by telnet.
    async fn ask(&mut self, command: &Command, deadline: &Deadline) -> Heard {
        if self.only_telnet {
            let heard = Heard {
                form: "telnet",
                http: None,
                text: self.by_telnet(command, deadline).await,
            };
            self.learn(command, &heard);
            return heard;
        }
        let heard = match http::ask(&self.endpoint, command, deadline, MOST_BYTES).await {
            Ok((status, text)) => Heard {
                form: "http",
                http: Some(status),
                text: Ok(text),
            },
            Err(http::NoAnswer::Raw(text)) => Heard {
                form: "telnet",
                http: None,
                text: Ok(text),
            },
            Err(http::NoAnswer::Failed(failure)) => {
                // A command that hangs on an old JDK over HTTP is answered over telnet.
                let again = matches!(
                    failure.kind,
                    ErrKind::Reset | ErrKind::Timeout | ErrKind::Cut
                );
                let text = if again && !deadline.passed() {
                    let text = self.by_telnet(command, deadline).await;
                    self.only_telnet = text.is_ok();
                    text
                } else {
                    Err(failure)
                };
                Heard {
                    form: "telnet",
                    http: None,
                    text,
                }
            }
        };
        self.learn(command, &heard);
        heard
    }

    /// Over telnet; a service port of old lines, which answers with names alone, is asked for the rest of it.
    async fn by_telnet(&self, command: &Command, deadline: &Deadline) -> Result<String, Failure> {
        let line = command.to_string();
        let text = telnet::ask(&self.endpoint, &line, deadline, MOST_BYTES).await?;
        let Some(more) = command
            .on_service_port()
            .filter(|_| is_of_service_port(&text))
        else {
            return Ok(text);
        };
        let asked = telnet::ask(&self.endpoint, more, deadline, MOST_BYTES).await;
        Ok(asked.unwrap_or(text))
    }

    /// What concerns all further commands: a version, or a port that serves nobody from here.
    fn learn(&mut self, command: &Command, heard: &Heard) {
        match &heard.text {
            Ok(text) => match read(&command.to_string(), heard.http, text) {
                Answer::Version(version) => {
                    self.version = Some(version);
                    self.answered = true;
                }
                Answer::Refused(
                    Refusal::ForeignIp { .. } | Refusal::ServicePort { .. } | Refusal::NotQos,
                ) => self.lost = true,
                _ => self.answered = true,
            },
            // Nobody there, nobody who speaks, or somebody who never ends: asking again takes the time of others. One
            // command of several may hang by itself.
            Err(failure) => {
                self.late += u8::from(failure.kind == ErrKind::Timeout);
                self.lost = !self.answered || self.late >= MOST_LATE;
            }
        }
    }

    /// The requests that [`Self::fetch`] would make now, one a line. Asks nobody.
    pub fn plan(&self, wants: &[Want]) -> Vec<String> {
        self.wanted(wants)
            .iter()
            .map(|command| format!("QOS {} {command}", self.endpoint))
            .collect()
    }

    /// The commands by which everything is read.
    pub fn plan_all(&self) -> Vec<String> {
        self.commands
            .iter()
            .map(|command| format!("QOS {} {command}", self.endpoint))
            .collect()
    }

    /// The version of Dubbo, once it has told.
    pub fn server(&self) -> Option<String> {
        self.version.clone()
    }
}

/// Whether a listing is the old one of a service port, without numbers.
fn is_of_service_port(text: &str) -> bool {
    matches!(read("ls", None, text), Answer::Listing(listing)
        if !text.contains("As Provider side:")
            && listing.provider.iter().all(|row| row.published.is_empty())
            && listing.consumer.iter().all(|row| row.number.is_none()))
}

/// Whether this is `host:port`.
pub fn is_endpoint(text: &str) -> bool {
    tcp::is_address(text)
}
