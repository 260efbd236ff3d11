//! The tool with which a model runs a skill: an agent that reads the conversation.

use std::{fmt::Write as _, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallAgentTool,
    arguments::{callee_with, read_prompt},
    object_schema,
};
use crate::{
    agent::AgentCall,
    invocation::{ContextScope, Join},
    model::{Messages, ToolSpec},
    quoted::quoted,
};

/// What the tool is called.
pub(crate) const RUN_SKILL: &str = "run_skill";

/// The contexts in which a skill may be run, the default one first.
const SCOPES: [ContextScope; 2] = [ContextScope::Inherited, ContextScope::Independent];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    skill: String,
    prompt: String,
    #[serde(default)]
    context: Option<ContextScope>,
}

impl CallAgentTool {
    pub(in crate::agent) fn has_skills(&self) -> bool {
        !self.skills.is_empty()
    }

    pub(super) fn skill(&self, name: &str) -> Option<usize> {
        let first = self.callees.len() + usize::from(self.ad_hoc_tools.is_some());
        let skill = self.skills.iter().position(|skill| skill.name == name)?;
        Some(first + skill)
    }

    /// The tool, if there are skills.
    pub(in crate::agent) fn skills_spec(&self) -> Option<ToolSpec> {
        if !self.has_skills() {
            return None;
        }
        let mut description = "Runs a skill, and returns the result. The skills:".to_owned();
        for skill in &self.skills {
            // Writing to a string does not fail.
            let _ = write!(description, "\n- `{}`: {}", skill.name, skill.description);
        }
        let names: Vec<&str> = self.skills.iter().map(|skill| &*skill.name).collect();
        let properties = json!({
            "skill": { "type": "string", "enum": names },
            "prompt": { "type": "string", "description": "What the skill is to do." },
            "context": { "type": "string", "enum": SCOPES, "description": ABOUT_CONTEXT },
        });
        Some(ToolSpec {
            name: RUN_SKILL.to_owned(),
            description,
            parameters: Arc::new(object_schema(&properties, &["skill", "prompt"])),
        })
    }

    /// The call that the arguments of `run_skill` are.
    pub(in crate::agent) fn read_skill(
        &self,
        arguments: &Value,
        messages: &Messages,
    ) -> Result<AgentCall, String> {
        let arguments = Arguments::deserialize(arguments);
        let Arguments {
            skill,
            prompt,
            context,
        } = arguments.map_err(|error| error.to_string())?;
        let callee = self.skill(&skill);
        let names: Vec<&str> = self.skills.iter().map(|skill| &*skill.name).collect();
        let callee = callee
            .ok_or_else(|| format!("there is no skill `{skill}`: there is {}", quoted(&names)))?;
        let prompt = read_prompt(&skill, Some(prompt))?;
        let scope = context.unwrap_or(ContextScope::Inherited);
        if !SCOPES.contains(&scope) {
            return Err("a skill is run in the `context` `inherited` or `independent`".to_owned());
        }
        Ok(AgentCall {
            join: Join::Single,
            targets: vec![callee_with(skill, callee, (prompt, scope), messages)],
            is_handoff: false,
        })
    }
}

const ABOUT_CONTEXT: &str = "What the skill knows of this conversation: all of it (`inherited`, unless given), or \
    nothing (`independent`).";
