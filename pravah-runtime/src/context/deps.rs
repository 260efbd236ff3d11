//! Typed dependencies: one value for each type.

use std::{
    any::{Any, TypeId, type_name},
    fmt,
    ops::Deref,
    sync::Arc,
};

use crate::error::DepsError;

/// An `Arc<T>`, and the name of `T`.
type Named = (&'static str, Arc<dyn Any + Send + Sync>);

/// The dependencies, by the type of the `Arc` that shares each. A list: they are few.
#[derive(Clone, Default)]
pub(super) struct Deps(Vec<(TypeId, Named)>);

impl Deps {
    pub(super) fn insert<T: ?Sized + Send + Sync + 'static>(&mut self, value: Arc<T>) {
        let type_id = TypeId::of::<Arc<T>>();
        self.0.retain(|(known, _)| *known != type_id);
        self.0.push((type_id, (type_name::<T>(), Arc::new(value))));
    }

    pub(super) fn get<T: ?Sized + 'static>(&self) -> Result<Arc<T>, DepsError> {
        self.find()
            .ok_or_else(|| DepsError::missing::<T>(self.names()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of type `T`, or the one that an `Arc<T>` among the values shares.
    pub(super) fn find<T: ?Sized + 'static>(&self) -> Option<Arc<T>> {
        let shared = || self.exactly::<Arc<T>>().map(|shared| Arc::clone(&*shared));
        self.exactly().or_else(shared)
    }

    fn exactly<T: ?Sized + 'static>(&self) -> Option<Arc<T>> {
        let type_id = TypeId::of::<Arc<T>>();
        let (_, (_, value)) = self.0.iter().find(|(known, _)| *known == type_id)?;
        value.downcast_ref::<Arc<T>>().cloned()
    }

    /// The types, in order of their names.
    fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.0.iter().map(|(_, (name, _))| *name).collect();
        names.sort_unstable();
        names
    }
}

impl fmt::Debug for Deps {
    /// The types, in order of their names; the values may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// A dependency that the host gave to the context: what a node or a tool asks for by its type. It derefs to
/// the value. The type may be that of a trait object, which [`Context::with_dep_arc`] takes.
///
/// A dependency that is not there fails the node before its function runs;
/// [`FlowRuntime::preflight`](crate::FlowRuntime::preflight) finds it before the run starts.
///
/// ```
/// use std::sync::Arc;
/// use pravah_runtime::prelude::*;
///
/// trait Prices: Send + Sync { fn cents(&self, cups: u32) -> u32; }
///
/// struct Fixed(u32);
/// impl Prices for Fixed { fn cents(&self, cups: u32) -> u32 { self.0 * cups } }
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Bill { cents: u32 }
///
/// #[node]
/// fn price(order: Order, prices: Dep<dyn Prices>) -> Bill {
///     Bill { cents: prices.cents(order.cups) }
/// }
///
/// #[flow]
/// fn coffee(order: Order) -> Bill { flow! { price } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let prices: Arc<dyn Prices> = Arc::new(Fixed(250));
/// let ctx = Context::default().with_dep_arc(prices);
/// assert_eq!(coffee(Order { cups: 2 }, ctx).await?.cents, 500);
///
/// // A test of the function alone needs no context.
/// assert_eq!(price(Order { cups: 2 }, Dep::from_arc(Arc::new(Fixed(100)))).cents, 200);
/// # Ok(()) }
/// ```
///
/// [`Context::with_dep_arc`]: super::Context::with_dep_arc
pub struct Dep<T: ?Sized>(Arc<T>);

impl<T> Dep<T> {
    /// A dependency for a test that calls the function of a node or a tool.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T: ?Sized> Dep<T> {
    /// The same of a value that is shared, such as a trait object.
    pub fn from_arc(value: Arc<T>) -> Self {
        Self(value)
    }

    /// The value, as the context shares it.
    pub fn into_arc(self) -> Arc<T> {
        self.0
    }
}

impl<T: ?Sized> Deref for Dep<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> Clone for Dep<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> fmt::Debug for Dep<T> {
    /// The type; the value may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dep<{}>", type_name::<T>())
    }
}

/// What can be a dependency.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a dependency",
    label = "not `Send + Sync`",
    note = "a dependency is shared by threads: of a struct take `Arc` for `Rc` and `Mutex` for `RefCell`; let a trait be `trait …: Send + Sync`"
)]
pub trait Injectable: 'static {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> Injectable for T {}
