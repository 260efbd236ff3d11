//! On random nets the verdict is that of brute force, and explanations hold.

use pravah_graph::{Finding, Firing, Net, Place};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::brute_force::{self, Marking, enabled, fire};
use crate::cases::config;
use crate::generate::{Dice, Draft};

proptest! {
    #![proptest_config(config(2_500))]

    #[test]
    fn refined_nets_are_sound(seed: u64, size in 1_usize..16) {
        let net = Draft::sound(&mut Dice::new(seed), size).net();
        if let Some(verdict) = brute_force::verdict(&net) {
            prop_assert!(verdict.sound, "the generator is wrong");
        }
        prop_assert_eq!(net.check(), []);
    }

    #[test]
    fn mutated_nets_get_the_verdict_of_brute_force(
        seed: u64,
        size in 1_usize..16,
        mutations in 1_usize..4,
    ) {
        let mut dice = Dice::new(seed);
        let mut draft = Draft::sound(&mut dice, size);
        for _ in 0..mutations {
            draft.mutate(&mut dice);
        }
        agrees_with_brute_force(&draft.net())?;
    }

    #[test]
    fn nets_without_plan_get_the_verdict_of_brute_force(seed: u64, size in 1_usize..7) {
        agrees_with_brute_force(&Draft::any(&mut Dice::new(seed), size).net())?;
    }
}

fn agrees_with_brute_force(net: &Net) -> TestCaseResult {
    let Some(verdict) = brute_force::verdict(net) else {
        return Ok(());
    };
    let findings = net.check();
    prop_assert_eq!(verdict.sound, findings.is_empty(), "{:?}", findings);
    for finding in &findings {
        match finding {
            Finding::Deadlock { run, marked } => {
                let end = play(net, run)?;
                prop_assert_eq!(&end, &marked.iter().copied().collect());
                prop_assert!(enabled(net, &end).is_empty() && !end.contains(&Place::Done));
                prop_assert_eq!(Some(run.len()), verdict.nearest_deadlock);
            }
            Finding::LeftBehind { .. } | Finding::Overwritten { .. } => {
                goes_wrong_as_told(net, finding)?;
            }
            Finding::Unreachable { .. } | Finding::NoWayToDone { .. } => {}
            other => prop_assert!(false, "{:?}", other),
        }
    }
    Ok(())
}

/// Where a run leads that does nothing wrong.
fn play(net: &Net, run: &[Firing]) -> Result<Marking, TestCaseError> {
    let mut marking = brute_force::start(net);
    for firing in run {
        prop_assert!(enabled(net, &marking).contains(firing), "{:?}", firing);
        let Ok(next) = fire(net, &marking, *firing) else {
            return Err(TestCaseError::fail("a place is marked twice on the way"));
        };
        marking = next;
    }
    Ok(marking)
}

/// The last firing of the run, and nothing before it, does what the finding says.
fn goes_wrong_as_told(net: &Net, finding: &Finding) -> TestCaseResult {
    let (Finding::LeftBehind { run, .. } | Finding::Overwritten { run, .. }) = finding else {
        return Err(TestCaseError::fail("no run"));
    };
    let Some((last, before)) = run.split_last() else {
        return Err(TestCaseError::fail("an empty run does nothing wrong"));
    };
    let marking = play(net, before)?;
    prop_assert!(!marking.contains(&Place::Done));
    prop_assert!(enabled(net, &marking).contains(last));
    match (finding, fire(net, &marking, *last)) {
        (Finding::Overwritten { place, .. }, Err(twice)) => prop_assert!(twice.contains(place)),
        (Finding::LeftBehind { remaining, .. }, Err(twice)) => {
            prop_assert!(twice.contains(&Place::Done) && remaining.contains(&Place::Done));
        }
        (Finding::LeftBehind { remaining, .. }, Ok(mut marking)) => {
            prop_assert!(marking.remove(&Place::Done) && !marking.is_empty());
            prop_assert_eq!(marking, remaining.iter().copied().collect());
        }
        (_, Ok(_)) => prop_assert!(false, "nothing is marked twice"),
        (_, Err(_)) => prop_assert!(false, "not a finding about one firing"),
    }
    Ok(())
}
