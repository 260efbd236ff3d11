//! What runs are called, and what their ids, tenants and tags may be.

use std::fmt;

use serde::Serialize;

use crate::StoreError;

/// How long an id or the value of a tag may be, in bytes.
const MAX_LENGTH: usize = 256;

/// How many tags a run may have.
const MAX_TAGS: usize = 32;

/// A run in a store: its id, and the tenant that it belongs to, if any. Two tenants may use the same id.
///
/// ```
/// use pravah_store::RunKey;
///
/// let key = RunKey::new("order-7")?.of_tenant("acme")?;
/// assert_eq!((key.id(), key.tenant()), ("order-7", Some("acme")));
/// assert!(RunKey::new("").is_err());
/// # Ok::<(), pravah_store::StoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RunKey {
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    id: String,
}

impl RunKey {
    /// The run of this id that belongs to no tenant.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if `id` is empty, longer than 256 bytes, has a control character, or starts with
    /// `/`.
    pub fn new(id: impl Into<String>) -> Result<Self, StoreError> {
        let id = id.into();
        let what = "a run id";
        check_text(what, &id)?;
        if id.starts_with('/') {
            let why = "must not start with `/`";
            return Err(StoreError::InvalidName { what, why });
        }
        Ok(Self { tenant: None, id })
    }

    /// The run of the same id that belongs to this tenant.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if `tenant` is empty, longer than 256 bytes, or has a control character or a `/`.
    pub fn of_tenant(self, tenant: impl Into<String>) -> Result<Self, StoreError> {
        let tenant = tenant.into();
        check_tenant(&tenant)?;
        let tenant = Some(tenant);
        Ok(Self { tenant, ..self })
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tenant.
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// The id that the run has for its nodes, as a part of their step keys: another for each tenant. It is the
    /// run's id, or `/TENANT/ID`.
    pub fn run_id(&self) -> String {
        // No id starts with `/`, and no tenant has one in it: no two keys have the same.
        match &self.tenant {
            Some(tenant) => format!("/{tenant}/{}", self.id),
            None => self.id.clone(),
        }
    }

    /// The key that has this [`run_id`](Self::run_id).
    #[cfg(feature = "postgres")]
    pub(crate) fn from_run_id(run_id: &str) -> Option<Self> {
        match run_id.strip_prefix('/') {
            Some(rest) => {
                let (tenant, id) = rest.split_once('/')?;
                Self::new(id).ok()?.of_tenant(tenant).ok()
            }
            None => Self::new(run_id).ok(),
        }
    }

    /// The key of another run of the same tenant.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn sibling(&self, id: impl Into<String>) -> Result<Self, StoreError> {
        let tenant = self.tenant.clone();
        Ok(Self {
            tenant,
            ..Self::new(id)?
        })
    }

    /// The tenant as a column: `None` is the empty string, which no tenant is.
    pub(crate) fn tenant_column(&self) -> &str {
        self.tenant().unwrap_or_default()
    }
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.run_id())
    }
}

pub(crate) fn check_tenant(tenant: &str) -> Result<(), StoreError> {
    let what = "a tenant";
    check_text(what, tenant)?;
    if tenant.contains('/') {
        let why = "must not contain `/`";
        return Err(StoreError::InvalidName { what, why });
    }
    Ok(())
}

pub(crate) fn check_tags<'a>(
    tags: impl ExactSizeIterator<Item = (&'a String, &'a String)>,
) -> Result<(), StoreError> {
    if tags.len() > MAX_TAGS {
        return Err(StoreError::InvalidName {
            what: "the tags",
            why: "must not be more than 32",
        });
    }
    for (name, value) in tags {
        check_text("the name of a tag", name)?;
        check_text("the value of a tag", value)?;
    }
    Ok(())
}

/// Databases differ in which control characters a text may have, and nobody can read them: none may be in a name.
fn check_text(what: &'static str, text: &str) -> Result<(), StoreError> {
    let why = match text {
        "" => "must not be empty",
        _ if text.len() > MAX_LENGTH => "must not be longer than 256 bytes",
        _ if text.contains(char::is_control) => "must not contain control characters",
        _ => return Ok(()),
    };
    Err(StoreError::InvalidName { what, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_have_the_same_run_id() {
        let plain = RunKey::new("acme/7").unwrap();
        let tenants = RunKey::new("7").unwrap().of_tenant("acme").unwrap();
        assert_ne!(plain.run_id(), tenants.run_id());
        assert!(RunKey::new("/acme/7").is_err());
        assert!(RunKey::new("7").unwrap().of_tenant("ac/me").is_err());
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn a_key_is_read_from_its_run_id() {
        for key in [
            RunKey::new("7").unwrap(),
            RunKey::new("acme/7").unwrap(),
            RunKey::new("a/b").unwrap().of_tenant("acme").unwrap(),
        ] {
            assert_eq!(RunKey::from_run_id(&key.run_id()), Some(key));
        }
        for other in ["", "/", "/acme", "/acme/", "//7", "/acme//7", "a\n"] {
            assert_eq!(RunKey::from_run_id(other), None, "{other:?}");
        }
    }

    #[test]
    fn names_that_no_database_takes_are_refused() {
        for id in ["", "a\0b", "line\nbreak", &"x".repeat(257)] {
            let refused = RunKey::new(id);
            assert!(
                matches!(refused, Err(StoreError::InvalidName { .. })),
                "{id:?}"
            );
        }
        assert!(RunKey::new("'; DROP TABLE run; --").is_ok());
    }
}
