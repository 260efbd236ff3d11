//! `pravah.toml`: what documents may use.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use pravah_document::Document;
use pravah_runtime::{
    Context, FlowConf,
    document::{DocumentFlow, NodeRegistry},
};
use serde::Deserialize;

use crate::failure::Failure;

/// The name of the file.
const FILE: &str = "pravah.toml";

/// What documents may use.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Config {
    /// The packs that nodes may come from: `core` and `tutorial` unless it says so.
    packs: Option<Vec<String>>,
    /// The model of agents that name none.
    model: Option<String>,
    /// Where files are read and written, from the folder of the configuration on: that folder unless it says so.
    working_dir: Option<PathBuf>,
    /// The commands that `shell.run` may run.
    #[serde(default)]
    commands: Vec<String>,
    /// The hosts that `http.request` may reach.
    #[serde(default)]
    hosts: Vec<String>,
    /// The documents that `control.subflow` may run, from the folder of the configuration on.
    #[serde(default)]
    flows: Vec<PathBuf>,
    /// Where the configuration is.
    #[serde(skip)]
    folder: PathBuf,
}

impl Config {
    /// The configuration in this file, or the nearest one above the working directory; without one the default.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self, Failure> {
        if let Some(path) = given {
            return Self::read(path);
        }
        let Ok(here) = env::current_dir() else {
            return Ok(Self::default());
        };
        let mut candidates = here.ancestors().map(|folder| folder.join(FILE));
        match candidates.find(|path| path.is_file()) {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::Message(format!("`{shown}` cannot be read: {error}")))?;
        let mut config: Self = toml::from_str(&text).map_err(|error| {
            Failure::Message(format!("`{shown}` is not a configuration: {error}"))
        })?;
        config.folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(config)
    }

    /// The node types that documents may use.
    pub(crate) fn registry(&self) -> Result<NodeRegistry, Failure> {
        let default = ["core", "tutorial"].map(str::to_owned);
        let packs = self.packs.as_deref().unwrap_or(&default);
        let mut registry = NodeRegistry::standard().with_packs(packs.iter().cloned());
        let known = registry.catalogue().packs();
        let is_unknown = |pack: &&String| !known.contains(&pack.as_str());
        if let Some(pack) = packs.iter().find(is_unknown) {
            let message = format!("there is no pack `{pack}`: there are {}", known.join(", "));
            return Err(Failure::Message(message));
        }
        if let Some(model) = &self.model {
            registry = registry.with_model(model);
        }
        self.with_flows(registry)
    }

    /// Adds the flows, in an order in which each comes after those that it runs.
    fn with_flows(&self, mut registry: NodeRegistry) -> Result<NodeRegistry, Failure> {
        let mut left: Vec<&PathBuf> = self.flows.iter().collect();
        let mut names = BTreeSet::new();
        while !left.is_empty() {
            let mut later = Vec::new();
            let mut failure = None;
            for flow in &left {
                match DocumentFlow::load(self.folder.join(flow), &registry) {
                    Ok(flow) => registry = add(registry, flow.document(), &mut names)?,
                    Err(error) => {
                        failure.get_or_insert(error);
                        later.push(*flow);
                    }
                }
            }
            match failure {
                Some(failure) if later.len() == left.len() => return Err(failure.into()),
                _ => left = later,
            }
        }
        Ok(registry)
    }

    /// What nodes get besides their inputs.
    pub(crate) fn context(&self) -> Context {
        let working_dir = self.working_dir.as_deref().unwrap_or(Path::new(""));
        let folder = self.folder.join(working_dir);
        let is_here = folder.as_os_str().is_empty();
        Context::new(FlowConf {
            working_dir: if is_here { PathBuf::from(".") } else { folder },
            commands: self.commands.clone(),
            hosts: self.hosts.clone(),
        })
    }
}

/// Adds a flow, of which `names` has none of its name.
fn add(
    registry: NodeRegistry,
    flow: &Document,
    names: &mut BTreeSet<String>,
) -> Result<NodeRegistry, Failure> {
    match names.insert(flow.name.clone()) {
        true => Ok(registry.with_flow(flow.clone())),
        false => Err(Failure::Message(format!(
            "two of the `flows` are called `{}`",
            flow.name
        ))),
    }
}
