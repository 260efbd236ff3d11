use super::*;
use crate::violations;

#[test]
fn every_type_is_described_and_its_examples_fit_its_schemas() {
    let catalogue = Catalogue::standard();
    assert_eq!(
        catalogue.packs(),
        ["claude", "core", "integration", "tutorial"]
    );
    for node_type in catalogue.types() {
        let name = &node_type.name;
        assert!(node_type.description.ends_with('.'), "{name}");
        assert!(!node_type.examples.is_empty(), "{name}");
        for example in &node_type.examples {
            assert_eq!(violations(&node_type.input, &example.input), [], "{name}");
            if let Some(output) = &example.output {
                assert_eq!(violations(&node_type.output, output), [], "{name}");
            }
        }
    }
}

#[test]
fn the_types_are_those_of_the_specification() {
    let names: Vec<_> = Catalogue::standard()
        .types()
        .map(|it| it.name.clone())
        .collect();
    let expected = "agent.classify agent.coder agent.invoke agent.plan agent.reviewer agent.run agent.summarize agent.wait \
        claude.agent condition.equals constant control.fail control.foreach control.gate control.if control.loop control.merge \
        control.noop control.subflow control.switch control.wait data.filter data.json.parse data.json.stringify \
        data.map data.merge data.pick data.reduce data.set data.template data.validate echo file.read file.write \
        http.request shell.run system.cache.get system.cache.set system.log system.metrics system.state.get \
        system.state.set tutorial.delay tutorial.flaky tutorial.security_scan tutorial.uppercase";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn only_agents_are_agents() {
    let catalogue = Catalogue::standard();
    let agents: Vec<_> = catalogue
        .types()
        .filter(|it| it.capabilities.is_agent)
        .collect();
    assert!(
        agents
            .iter()
            .all(|it| it.role == Role::Agent && it.config.is_some())
    );
    assert_eq!(agents.len(), 7);
}
