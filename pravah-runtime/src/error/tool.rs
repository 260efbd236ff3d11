//! The error of a tool, and how much of it a model may see.

use std::{error::Error, fmt, io};

use serde::Serialize;
use serde_json::Value;

use super::{BoxError, DepsError, ErrorText, MessageOf};
use crate::model_text::{ForModel, ModelText, ToModel};

/// Why a tool has no result.
///
/// The agent's model is told in a few words that leak nothing, see [`ToolError::message`] for
/// saying more; the run goes on. Two errors are not for the model: [`ToolError::fatal`] fails the
/// agent's node, [`ToolError::suspend`] waits for somebody outside.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolError {
    /// Reading or writing failed.
    Io(io::Error),
    /// A value could not be written as JSON.
    Serialize(serde_json::Error),
    /// A value could not be read from JSON.
    Deserialize(serde_json::Error),
    /// There is no tool of this name.
    UnknownTool(String),
    /// The path leads out of the working directory.
    PathEscape(String),
    /// The command is not on the allowlist.
    ForbiddenCommand(String),
    /// The host is not on the list of those that web requests may reach.
    ForbiddenHost(String),
    /// A web request failed.
    Http(ErrorText),
    /// The context lacks a typed dependency.
    Missing(DepsError),
    /// Any other error.
    Other(BoxError),
    /// An error with a text for the model; made by [`ToolError::message`] and [`ToolError::told`].
    #[doc(hidden)]
    Told(Told),
    /// An error with a hint for the model; made by [`ToolError::with_hint`].
    #[doc(hidden)]
    Hinted(Hinted),
    /// A suspension or a fatal error; made by [`ToolError::suspend`] and [`ToolError::fatal`].
    #[doc(hidden)]
    Control(Control),
}

/// What a tool asks of the engine instead of giving a result. Only the engine looks inside.
#[derive(Debug)]
pub struct Control(Signal);

impl Control {
    pub(crate) fn signal(&self) -> &Signal {
        &self.0
    }
}

#[derive(Debug)]
pub(crate) enum Signal {
    Suspend(Value),
    Fatal(BoxError),
}

/// An error, and what the model is told of it.
#[derive(Debug)]
pub struct Told {
    pub(crate) text: ModelText,
    error: Option<BoxError>,
}

/// An error, and what the model is told to do about it.
#[derive(Debug)]
pub struct Hinted {
    pub(crate) error: Box<ToolError>,
    pub(crate) hint: ModelText,
}

impl ToolError {
    /// Suspends the run with `value`, which whoever resumes it gets to see.
    ///
    /// The tool is called again with the same arguments once a payload is there, and finds it in
    /// `ctx.resumed()`.
    ///
    /// ```
    /// use pravah_runtime::{Context, ToolError};
    ///
    /// fn refund(amount: u32, ctx: &Context) -> Result<String, ToolError> {
    ///     match ctx.resumed::<bool>()? {
    ///         None => Err(ToolError::suspend(format!("refund {amount} euros?"))),
    ///         Some(true) => Ok("refunded".to_owned()),
    ///         Some(false) => Ok("refused".to_owned()),
    ///     }
    /// }
    ///
    /// assert!(refund(20, &Context::default()).is_err());
    /// ```
    pub fn suspend(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self::Control(Control(Signal::Suspend(value))),
            Err(error) => Self::Serialize(error),
        }
    }

    /// Declares `error` fatal: the agent's node fails with it, and the model is told nothing.
    pub fn fatal(error: impl Into<BoxError>) -> Self {
        Self::Control(Control(Signal::Fatal(error.into())))
    }

    /// An error with a text that the model is to read, word for word.
    ///
    /// Strings become such errors with `?` and `into()`.
    pub fn message(text: impl Into<String>) -> Self {
        Self::Told(Told {
            text: text.into().to_model(),
            error: None,
        })
    }

    /// An error that says itself what the model is to read. The operator sees all of it.
    ///
    /// ```
    /// use pravah_runtime::{ForModel, ToolError};
    ///
    /// #[derive(Debug, thiserror::Error)]
    /// #[error("shelf {shelf} of store 12 is empty")]
    /// struct OutOfStock { shelf: u32 }
    ///
    /// impl ForModel for OutOfStock {
    ///     fn for_model(&self) -> std::borrow::Cow<'_, str> {
    ///         "there is none left".into()
    ///     }
    /// }
    ///
    /// let error = ToolError::told(OutOfStock { shelf: 3 });
    /// assert_eq!(error.for_model(), "there is none left");
    /// assert_eq!(error.to_string(), "shelf 3 of store 12 is empty");
    /// ```
    pub fn told(error: impl Error + ForModel + Send + Sync + 'static) -> Self {
        Self::Told(Told {
            text: error.to_model(),
            error: Some(error.into()),
        })
    }

    /// The same error, with what the model may do about it: it reads both.
    ///
    /// ```
    /// use pravah_runtime::{ForModel, ToolError};
    ///
    /// let error = ToolError::other("503").with_hint("Try again with fewer words");
    /// assert_eq!(error.for_model(), "the tool failed. Try again with fewer words");
    /// ```
    #[must_use]
    pub fn with_hint(self, hint: impl ForModel) -> Self {
        match self {
            // What the engine is asked to do is not for the model.
            Self::Control(_) => self,
            error => Self::Hinted(Hinted {
                error: Box::new(error),
                hint: hint.to_model(),
            }),
        }
    }

    /// Any error. The model is told only that the tool failed; of an [`std::io::Error`], that reading or
    /// writing did.
    ///
    /// ```
    /// use pravah_runtime::ToolError;
    ///
    /// fn quantity(text: &str) -> Result<u32, ToolError> {
    ///     text.parse().map_err(ToolError::other)
    /// }
    ///
    /// assert!(quantity("many").is_err());
    /// ```
    pub fn other(error: impl Into<BoxError>) -> Self {
        Self::from(error.into())
    }

    /// A web request that failed.
    #[cfg(feature = "providers")]
    pub(crate) fn http(what: &str, cause: impl Into<BoxError>) -> Self {
        Self::Http(ErrorText::new(what, cause))
    }

    /// The cause, if there is one: `Display` has said what it says, and a program can examine it.
    pub fn get_ref(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Serialize(error) | Self::Deserialize(error) => Some(error),
            Self::Missing(error) => Some(error),
            Self::Http(text) => Some(text.get_ref()?),
            Self::Told(told) => Some(&**told.error.as_ref()?),
            Self::Hinted(hinted) => hinted.error.get_ref(),
            Self::Other(error) | Self::Control(Control(Signal::Fatal(error))) => Some(&**error),
            Self::UnknownTool(_)
            | Self::PathEscape(_)
            | Self::ForbiddenCommand(_)
            | Self::ForbiddenHost(_)
            | Self::Control(Control(Signal::Suspend(_))) => None,
        }
    }

    /// What the engine is asked to do, if this is no error for the model.
    pub(crate) fn into_signal(self) -> Result<Signal, Self> {
        match self {
            Self::Control(Control(signal)) => Ok(signal),
            error => Err(error),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "reading or writing failed: {error}"),
            Self::Serialize(error) => write!(f, "a value could not be written: {error}"),
            Self::Deserialize(error) => write!(f, "a value could not be read: {error}"),
            Self::UnknownTool(name) => write!(f, "there is no tool `{name}`"),
            Self::PathEscape(path) => write!(f, "`{path}` is outside the working directory"),
            Self::ForbiddenCommand(name) => {
                let hint = match name.contains(' ') {
                    true => ", without their arguments",
                    false => "",
                };
                write!(
                    f,
                    "the command `{name}` is not allowed; `FlowConf::commands` lists those that are{hint}"
                )
            }
            Self::ForbiddenHost(host) => write!(
                f,
                "the host `{host}` is not allowed; `FlowConf::hosts` lists those that are, by their names alone"
            ),
            Self::Http(text) => write!(f, "a web request failed: {text}"),
            Self::Missing(error) => error.fmt(f),
            Self::Told(told) => match &told.error {
                Some(error) => MessageOf(error).fmt(f),
                None => told.text.fmt(f),
            },
            Self::Hinted(hinted) => hinted.error.fmt(f),
            Self::Other(error) | Self::Control(Control(Signal::Fatal(error))) => {
                MessageOf(error).fmt(f)
            }
            Self::Control(Control(Signal::Suspend(_))) => f.write_str("the tool is suspended"),
        }
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.get_ref()?.source()
    }
}

impl From<io::Error> for ToolError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self::Deserialize(error)
    }
}

impl From<DepsError> for ToolError {
    fn from(error: DepsError) -> Self {
        Self::Missing(error)
    }
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::message(text)
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self::message(text)
    }
}

impl From<BoxError> for ToolError {
    /// Keeps what it knows: a boxed `ToolError`, a suspension among them, is the same one again.
    fn from(error: BoxError) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(error) => return *error,
            Err(error) => error,
        };
        let error = match error.downcast::<io::Error>() {
            Ok(error) => return Self::Io(*error),
            Err(error) => error,
        };
        match error.downcast::<DepsError>() {
            Ok(error) => Self::Missing(*error),
            Err(error) => Self::Other(error),
        }
    }
}
