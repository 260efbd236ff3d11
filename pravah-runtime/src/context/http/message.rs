//! Requests and answers.

use std::fmt;

use futures_util::StreamExt as _;
use reqwest::{Client, Method, RequestBuilder, Response, Url, header::CONTENT_TYPE};
use serde::{Serialize, de::DeserializeOwned};

use super::failed;
use crate::{error::ToolError, json};

/// A web request.
///
/// ```
/// use pravah_runtime::HttpRequest;
///
/// let request = HttpRequest::new("PUT", "https://api.example.com/notes/7")
///     .header("authorization", "Bearer secret")
///     .json(&["buy tea"])?;
/// assert!(!format!("{request:?}").contains("secret"));
/// # Ok::<(), pravah_runtime::ToolError>(())
/// ```
#[derive(Clone)]
pub struct HttpRequest {
    method: String,
    pub(super) url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HttpRequest {
    /// A request without headers and body.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With this body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// With this body, as JSON.
    ///
    /// # Errors
    ///
    /// [`ToolError::Serialize`] if it cannot be written.
    pub fn json(self, body: &impl Serialize) -> Result<Self, ToolError> {
        let body = serde_json::to_vec(body).map_err(ToolError::Serialize)?;
        Ok(self
            .header(CONTENT_TYPE.as_str(), "application/json")
            .body(body))
    }

    /// The same for the client.
    pub(super) fn write(self, client: &Client, url: Url) -> Result<RequestBuilder, ToolError> {
        let method = Method::from_bytes(self.method.as_bytes());
        let method =
            method.map_err(|error| ToolError::http("the HTTP method is not valid", error))?;
        let headers = self.headers.into_iter();
        let request = client.request(method, url).body(self.body);
        Ok(headers.fold(request, |request, (name, value)| {
            request.header(name, value)
        }))
    }
}

impl fmt::Debug for HttpRequest {
    /// The method; the rest may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// An answer to a web request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpResponse {
    /// The status, such as 200.
    pub status: u16,
    /// The headers, in order; those that are no text are left out.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    pub(super) async fn read(response: Response, most: usize) -> Result<Self, ToolError> {
        let status = response.status().as_u16();
        let headers = response.headers().iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            Some((name.to_string(), value.to_owned()))
        });
        let headers = headers.collect();
        let (mut body, mut parts) = (Vec::new(), response.bytes_stream());
        while let Some(part) = parts.next().await {
            let part = part.map_err(failed)?;
            if body.len() + part.len() > most {
                return Err(ToolError::Http(
                    format!("the answer is longer than {most} bytes").into(),
                ));
            }
            body.extend_from_slice(&part);
        }
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    /// The answer, if its status says that the request succeeded.
    ///
    /// # Errors
    ///
    /// [`ToolError::Http`] with the status if not.
    pub fn success(self) -> Result<Self, ToolError> {
        match self.status {
            200..300 => Ok(self),
            status => Err(ToolError::Http(format!("the status is {status}").into())),
        }
    }

    /// The body as text; what is no UTF-8 in it is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body, read from JSON.
    ///
    /// # Errors
    ///
    /// [`ToolError::Deserialize`] if it is not that, or has a key by which `serde_json` marks values of its own:
    /// `T` might read another value than the body is.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        Ok(json::typed(&self.body)?)
    }
}
