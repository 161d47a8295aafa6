//! A node: an alias, or properties and content.

use super::{Parser, State};
use crate::rule::yaml::Position;
use crate::rule::yaml::error::YamlError;
use crate::rule::yaml::event::{Event, EventKind, Properties};
use crate::rule::yaml::token::{ScalarStyle, TagName, TokenKind};

impl Parser {
    /// `parseNode`: an alias, or properties and content.
    pub(super) fn node(&mut self, block: bool, indentless: bool) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        if let TokenKind::Alias(name) = &token.kind {
            let event = Event {
                kind: EventKind::Alias(name.clone()),
                start: token.start,
                end: token.end,
            };
            self.scanner.next()?;
            self.pop_state();
            return Ok(event);
        }
        let (properties, place) = self.properties()?;
        let token = self.scanner.peek()?;
        let (start, end) = place.unwrap_or((token.start, token.start));
        let (kind, end, state) = match &token.kind {
            TokenKind::BlockEntry if indentless => (
                EventKind::SequenceStart(properties),
                token.end,
                State::IndentlessSequenceEntry,
            ),
            TokenKind::Scalar(..) => return self.scalar(properties, start),
            TokenKind::FlowSequenceStart => (
                EventKind::SequenceStart(properties),
                token.end,
                State::FlowSequenceFirstEntry,
            ),
            TokenKind::FlowMappingStart => (
                EventKind::MappingStart(properties),
                token.end,
                State::FlowMappingFirstKey,
            ),
            TokenKind::BlockSequenceStart if block => (
                EventKind::SequenceStart(properties),
                token.start,
                State::BlockSequenceFirstEntry,
            ),
            TokenKind::BlockMappingStart if block => (
                EventKind::MappingStart(properties),
                token.start,
                State::BlockMappingFirstKey,
            ),
            _ if properties != Properties::default() => {
                let implicit = properties.tag.as_deref().is_none_or(|tag| tag == "!");
                self.pop_state();
                let kind = EventKind::Scalar {
                    properties,
                    text: String::new(),
                    style: ScalarStyle::Plain,
                    implicit,
                };
                return Ok(Event { kind, start, end });
            }
            other => {
                let at = token.start;
                let found = other.clone().found(self.scanner.version());
                let context = if block {
                    "while parsing a block node"
                } else {
                    "while parsing a flow node"
                };
                let problem = format!("expected the node content, but found {found}");
                return Err(Self::error(problem, at).within(context, Some(start)));
            }
        };
        self.state = state;
        Ok(Event { kind, start, end })
    }

    fn scalar(&mut self, properties: Properties, start: Position) -> Result<Event, YamlError> {
        let token = self.scanner.next()?;
        self.pop_state();
        let (text, style) = match token.kind {
            TokenKind::Scalar(text, style) => (text, style),
            _ => (String::new(), ScalarStyle::Plain),
        };
        let implicit = match properties.tag.as_deref() {
            None => style == ScalarStyle::Plain,
            Some(tag) => tag == "!",
        };
        Ok(Event {
            kind: EventKind::Scalar {
                properties,
                text,
                style,
                implicit,
            },
            start,
            end: token.end,
        })
    }

    /// Anchor and tag, in either order, and where they stand.
    fn properties(&mut self) -> Result<(Properties, Option<(Position, Position)>), YamlError> {
        let mut place: Option<(Position, Position)> = None;
        let mut anchor = None;
        let mut tag: Option<(TagName, Position)> = None;
        while anchor.is_none() || tag.is_none() {
            let token = self.scanner.peek()?;
            let (start, end) = (token.start, token.end);
            match &token.kind {
                TokenKind::Anchor(name) if anchor.is_none() => anchor = Some(name.clone()),
                TokenKind::Tag(name) if tag.is_none() => tag = Some((name.clone(), start)),
                _ => break,
            }
            self.scanner.next()?;
            place = Some((place.map_or(start, |(first, _)| first), end));
        }
        let tag = match tag {
            None => None,
            Some((
                TagName {
                    handle: None,
                    suffix,
                },
                _,
            )) => Some(suffix),
            Some((
                TagName {
                    handle: Some(handle),
                    suffix,
                },
                at,
            )) => {
                let Some(prefix) = self.prefix(&handle) else {
                    let start = place.map(|(start, _)| start);
                    return Err(
                        Self::error(format!("found undefined tag handle {handle}"), at)
                            .within("while parsing a node", start),
                    );
                };
                Some(format!("{prefix}{suffix}"))
            }
        };
        Ok((Properties { anchor, tag }, place))
    }
}
