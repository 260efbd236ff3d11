//! Remote tasks: those that nodes wait for, and those to be cancelled.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use super::super::{
    super::state::{
        rare::Rare,
        remote_task::{KnownTask, PendingCancels},
        waits::WaitIndex,
    },
    map::Map,
    stored::{Key, Loaded, StoredFrame},
};

/// The tasks that are to be cancelled.
pub(super) fn cancels(stored: Map<Key<'_>, Cow<'_, KnownTask>>) -> Loaded<Rare<PendingCancels>> {
    let mut cancels = Rare::<PendingCancels>::default();
    for (task_id, task) in stored {
        let own = task.task_id();
        if *task_id != *own {
            return Err(format!("the task to be cancelled as `{task_id}` is `{own}`").into());
        }
        cancels
            .tasks
            .insert(task_id.into(), task.into_owned().into());
    }
    Ok(cancels)
}

/// The tasks that nodes wait for, in a frame and in the items of its lists.
pub(super) fn open_tasks(frame: &StoredFrame<'_>) -> Vec<Arc<KnownTask>> {
    let Some(progress) = frame.progress.as_deref() else {
        return Vec::new();
    };
    let open = progress.remotes.iter();
    let open = open.filter(|(_, remote)| !remote.has_ended);
    let mut tasks: Vec<_> = open.map(|(_, remote)| Arc::clone(&remote.task)).collect();
    for (_, list) in progress.lists.iter() {
        for (_, item) in list.items.iter() {
            tasks.extend(open_tasks(item));
        }
    }
    tasks
}

/// Cancels those of these tasks that nobody waits for any more, since what has waited was dropped.
pub(super) fn cancel_dropped(
    cancels: &mut Rare<PendingCancels>,
    stored: Vec<Arc<KnownTask>>,
    waits: &WaitIndex,
) {
    if stored.is_empty() {
        return;
    }
    let awaited: BTreeSet<&str> = waits.remotes().map(|task| task.task_id()).collect();
    let dropped = stored.into_iter();
    for task in dropped.filter(|task| !awaited.contains(task.task_id())) {
        cancels.tasks.insert(task.task_id().into(), task);
    }
}
