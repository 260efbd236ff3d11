//! A store by a name that can be given to another process.

use std::sync::Arc;

use pravah_store::RunStore;

/// Opens the store of this name: a file, or a URL and a schema.
pub(crate) async fn open(name: &str) -> Arc<dyn RunStore> {
    #[cfg(feature = "postgres")]
    if let Some((url, schema)) = name.split_once('#') {
        let options = pravah_store::PostgresOptions::new().with_schema(schema);
        return Arc::new(options.connect(url).await.unwrap());
    }
    #[cfg(feature = "sqlite")]
    return Arc::new(pravah_store::SqliteStore::open(name).unwrap());
    #[cfg(not(feature = "sqlite"))]
    panic!("`{name}` is no store");
}
