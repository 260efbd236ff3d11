//! JSON with a line for each node and each schema, so that changes are easy to review.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Lists and objects that are as deep as a node or a schema are written in one line.
const ONE_LINE: usize = 5;

pub(super) fn to_lines(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    let lines = Lines {
        depth: 0,
        pretty: PrettyFormatter::new(),
    };
    value.serialize(&mut Serializer::with_formatter(&mut text, lines))?;
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}

struct Lines<'a> {
    depth: usize,
    pretty: PrettyFormatter<'a>,
}

impl Lines<'_> {
    fn is_one_line(&self) -> bool {
        self.depth >= ONE_LINE
    }

    fn comma<W: ?Sized + Write>(writer: &mut W, is_first: bool) -> Result<()> {
        match is_first {
            true => Ok(()),
            false => writer.write_all(b", "),
        }
    }
}

impl Formatter for Lines<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        match self.is_one_line() {
            true => writer.write_all(b"["),
            false => self.pretty.begin_array(writer),
        }
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        let is_one_line = self.is_one_line();
        self.depth -= 1;
        match is_one_line {
            true => writer.write_all(b"]"),
            false => self.pretty.end_array(writer),
        }
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        match self.is_one_line() {
            true => Self::comma(writer, first),
            false => self.pretty.begin_array_value(writer, first),
        }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        match self.is_one_line() {
            true => Ok(()),
            false => self.pretty.end_array_value(writer),
        }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        match self.is_one_line() {
            true => writer.write_all(b"{"),
            false => self.pretty.begin_object(writer),
        }
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        let is_one_line = self.is_one_line();
        self.depth -= 1;
        match is_one_line {
            true => writer.write_all(b"}"),
            false => self.pretty.end_object(writer),
        }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        match self.is_one_line() {
            true => Self::comma(writer, first),
            false => self.pretty.begin_object_key(writer, first),
        }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        match self.is_one_line() {
            true => Ok(()),
            false => self.pretty.end_object_value(writer),
        }
    }
}
