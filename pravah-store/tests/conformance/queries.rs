//! Finding runs, tenants, names that mean harm, and deleting what has ended.

use std::{collections::BTreeMap, time::Duration};

use pravah_store::{
    Command, Cursor, Filter, NewRun, Page, Retention, RunKey, Status, StoreError, TenantFilter,
};

use crate::{
    flows::Order,
    support::{TestStore, changes, key, last_step, new_run},
};

crate::over_every_store! {
    runs_are_listed_newest_first_page_by_page,
    filters_are_all_kept_to,
    runs_of_a_tenant_are_its_own,
    runs_of_another_tenant_are_as_unknown_as_those_that_do_not_exist,
    names_are_data_whatever_they_contain,
    names_that_no_run_can_have_are_refused,
    a_cursor_of_another_origin_finds_nothing_of_others,
    runs_that_have_ended_are_pruned_by_age_and_number,
    the_newest_runs_of_each_tenant_are_kept,
    a_pruned_run_is_gone_with_all_that_was_its,
}

fn ids(page: &Page) -> Vec<&str> {
    page.runs.iter().map(|run| run.key.id()).collect()
}

async fn start(it: &TestStore, key: RunKey, flow: &str, tags: &[(&str, &str)]) {
    let tags = tags
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let tags: BTreeMap<_, _> = tags.collect();
    let run = NewRun::new(key, flow, changes(&[], &[("", "{}")]));
    it.store.start(run.with_tags(tags).unwrap()).await.unwrap();
}

async fn runs_are_listed_newest_first_page_by_page(it: TestStore) {
    for number in 0..25 {
        it.start(&format!("run-{number:02}")).await;
        if number % 3 == 0 {
            it.pass(1); // Several have the same time.
        }
    }
    let (mut found, mut filter) = (Vec::new(), Filter::new().with_limit(4));
    loop {
        let page = it.store.list(filter.clone()).await.unwrap();
        found.extend(ids(&page).into_iter().map(str::to_owned));
        let Some(next) = page.next else { break };
        let cursor: Cursor = next.to_string().parse().unwrap();
        assert_eq!(cursor, next);
        filter = filter.with_after(cursor);
    }
    let expected: Vec<_> = (0..25)
        .rev()
        .map(|number| format!("run-{number:02}"))
        .collect();
    assert_eq!(found, expected);
    let none = it.store.list(Filter::new().with_limit(0)).await.unwrap();
    assert!(none.runs.is_empty() && none.next.is_none());
}

async fn filters_are_all_kept_to(it: TestStore) {
    start(&it, key("a"), "flow", &[("shop", "north"), ("kind", "new")]).await;
    start(&it, key("b"), "flow", &[("shop", "north")]).await;
    start(&it, key("c"), "flow", &[("shop", "south"), ("kind", "new")]).await;
    start(
        &it,
        key("d"),
        "other",
        &[("shop", "north"), ("kind", "new")],
    )
    .await;
    let claim = it.claim("one", 1).await.remove(0);
    it.store
        .commit(&claim.lease, last_step(Status::Suspended))
        .await
        .unwrap();
    let list = async |filter: Filter| {
        let page = it.store.list(filter).await.unwrap();
        ids(&page).join(" ")
    };
    assert_eq!(list(Filter::new()).await, "d c b a");
    assert_eq!(list(Filter::new().with_flow("flow")).await, "c b a");
    assert_eq!(
        list(Filter::new().with_status(Status::Suspended)).await,
        "a"
    );
    assert_eq!(list(Filter::new().with_tag("shop", "north")).await, "d b a");
    let both = Filter::new()
        .with_tag("shop", "north")
        .with_tag("kind", "new");
    assert_eq!(list(both.clone()).await, "d a");
    assert_eq!(list(both.clone().with_status(Status::Ready)).await, "d");
    assert_eq!(
        list(Filter::new().with_flow("flow").with_tag("kind", "new")).await,
        "c a"
    );
    assert_eq!(list(Filter::new().with_tag("north", "shop")).await, "");
    assert_eq!(list(both.with_limit(1)).await, "d");
}

async fn runs_of_a_tenant_are_its_own(it: TestStore) {
    let of = |tenant: &str| key("a").of_tenant(tenant).unwrap();
    start(&it, key("a"), "flow", &[]).await;
    start(&it, of("acme"), "flow", &[("x", "1")]).await;
    start(&it, of("bolt"), "other", &[("x", "1")]).await;
    assert_eq!(it.store.get(&of("bolt")).await.unwrap().flow, "other");
    it.store.push(&of("acme"), Command::Pause).await.unwrap();
    assert!(it.store.inbox(&key("a"), 0).await.unwrap().is_empty());

    let list = async |filter: Filter| {
        let page = it.store.list(filter).await.unwrap();
        let tenants = page.runs.iter().map(|run| run.key.tenant().unwrap_or("-"));
        tenants.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(Filter::new()).await, "-");
    assert_eq!(list(Filter::new().with_tenant("acme")).await, "acme");
    assert_eq!(list(Filter::new().with_tag("x", "1")).await, "");
    assert_eq!(
        list(Filter::new().with_tag("x", "1").with_tenant("bolt")).await,
        "bolt"
    );
    assert_eq!(list(Filter::new().every_tenant()).await, "bolt acme -");

    let acme = of("acme");
    let fork = it.store.fork(&acme, 0, "b".to_owned());
    assert!(fork.await.unwrap());
    assert!(it.store.get(&key("b")).await.is_err());
    assert!(
        it.store
            .get(&key("b").of_tenant("acme").unwrap())
            .await
            .is_ok()
    );
}

async fn runs_of_another_tenant_are_as_unknown_as_those_that_do_not_exist(it: TestStore) {
    let acme = pravah_store::Runs::new(it.reopen())
        .of_tenant("acme")
        .unwrap();
    it.start("theirs").await;
    start(&it, key("bolts").of_tenant("bolt").unwrap(), "flow", &[]).await;
    for (id, missing) in [
        ("theirs", "nobodys"),
        ("bolts", "bolt/"),
        ("/bolt/bolts", "/x"),
    ] {
        let said = |error: StoreError, id: &str| error.to_string().replace(id, "ID");
        let both = [id, missing];
        let [theirs, none] = both.map(|id| async {
            let mut said_of_it = vec![
                said(acme.status(id).await.unwrap_err(), id),
                said(acme.history(id).await.unwrap_err(), id),
                said(acme.entries_at(id, 0).await.unwrap_err(), id),
                said(acme.answer(id, "q", 1).await.unwrap_err(), id),
                said(acme.cancel(id, "").await.unwrap_err(), id),
                said(acme.retry(id).await.unwrap_err(), id),
                said(acme.fork(id, 0).await.unwrap_err(), id),
            ];
            said_of_it.dedup();
            said_of_it
        });
        let (theirs, none) = (theirs.await, none.await);
        assert_eq!(theirs, ["there is no run `ID`"]);
        assert_eq!(theirs, none);
    }
    let all = acme.list(Filter::new().every_tenant()).await.unwrap();
    assert!(all.runs.is_empty());
    // Nor does a filter for the tenant itself, or for another one, find what is not its own.
    for tenant in ["acme", "bolt", "nobody"] {
        let page = acme.list(Filter::new().with_tenant(tenant)).await.unwrap();
        assert!(page.runs.is_empty() && page.next.is_none(), "{tenant}");
    }
    let own = acme.start::<Order>(Order { cups: 1 }).await.unwrap();
    let page = acme.list(Filter::of::<Order>()).await.unwrap();
    assert_eq!(page.runs[0].key.id(), own);
    let page = acme.list(Filter::new().with_tenant("bolt")).await.unwrap();
    assert!(page.runs.is_empty());
    let invalid = acme.list(Filter::new().with_tenant("a/b")).await;
    assert!(matches!(invalid, Err(StoreError::InvalidName { .. })));
    assert_eq!(
        acme.prune(Retention::max_age(Duration::ZERO))
            .await
            .unwrap(),
        0
    );
}

/// Texts that mean something to some database, or to its wildcards.
const HOSTILE: [&str; 12] = [
    "'; DROP TABLE run; --",
    "\" OR \"\"=\"",
    "a' OR 1=1 --",
    "?1",
    ":tenant",
    "$1",
    "%",
    "_",
    "NULL",
    "{\"a\": 1}",
    "\u{202e}\u{feff}é\u{10ffff}",
    "\\",
];

async fn names_are_data_whatever_they_contain(it: TestStore) {
    for hostile in HOSTILE {
        let own = key(hostile).of_tenant(hostile).unwrap();
        start(&it, own.clone(), hostile, &[(hostile, hostile)]).await;
        it.pass(1);
    }
    for hostile in HOSTILE {
        let own = key(hostile).of_tenant(hostile).unwrap();
        let run = it.store.get(&own).await.unwrap();
        assert_eq!((run.key, &*run.flow), (own.clone(), hostile));
        assert_eq!(run.tags[hostile], hostile);
        let filter = Filter::new()
            .with_flow(hostile)
            .with_tag(hostile, hostile)
            .with_tenant(hostile);
        assert_eq!(ids(&it.store.list(filter).await.unwrap()), [hostile]);
        let filter = Filter::new().with_flow(hostile).every_tenant();
        assert_eq!(ids(&it.store.list(filter).await.unwrap()), [hostile]);
        let request = pravah_store::ClaimRequest::new(hostile, [hostile.to_owned()]);
        let claims = it.store.claim(request.with_limit(9)).await.unwrap();
        assert_eq!(claims.len(), 1);
        let commit = last_step(Status::Done);
        it.store.commit(&claims[0].lease, commit).await.unwrap();
        let retention = Retention::max_age(Duration::ZERO).with_max_runs(0);
        assert_eq!(
            it.store
                .prune(&TenantFilter::Of(hostile.to_owned()), retention)
                .await
                .unwrap(),
            1
        );
    }
    let left = it.store.list(Filter::new().every_tenant()).await.unwrap();
    assert!(left.runs.is_empty());
}

async fn names_that_no_run_can_have_are_refused(it: TestStore) {
    let long = "x".repeat(257);
    for bad in ["", "a\0b", "a\nb", "\u{7f}", &long] {
        assert!(RunKey::new(bad).is_err());
        assert!(key("a").of_tenant(bad).is_err());
        for (name, value) in [(bad, "x"), ("x", bad)] {
            let tags = [(name.to_owned(), value.to_owned())];
            assert!(new_run(&key("a")).with_tags(tags.into()).is_err());
            let filtered = it.store.list(Filter::new().with_tag(name, value)).await;
            assert!(matches!(filtered, Err(StoreError::InvalidName { .. })));
        }
        let filtered = it.store.list(Filter::new().with_tenant(bad)).await;
        assert!(matches!(filtered, Err(StoreError::InvalidName { .. })));
    }
    let many = (0..33).map(|number| (number.to_string(), "x".to_owned()));
    assert!(new_run(&key("a")).with_tags(many.collect()).is_err());
    // A long one is still one.
    it.start(&"x".repeat(256)).await;
    // A flow of a strange name is no harm: it is the program's own.
    let nul = it
        .store
        .list(Filter::new().with_flow("a\0b"))
        .await
        .unwrap();
    assert!(nul.runs.is_empty());
}

async fn a_cursor_of_another_origin_finds_nothing_of_others(it: TestStore) {
    start(&it, key("a").of_tenant("acme").unwrap(), "flow", &[]).await;
    let cursor: Cursor = format!("{}/bolt/zzz", i64::MAX).parse().unwrap();
    let page = it
        .store
        .list(Filter::new().with_after(cursor.clone()))
        .await;
    assert!(page.unwrap().runs.is_empty());
    let page = it
        .store
        .list(Filter::new().with_tenant("acme").with_after(cursor))
        .await;
    assert_eq!(page.unwrap().runs.len(), 1);
    for bad in ["", "1", "1/", "1/acme", "x/acme/a", "1/ac\0me/a", "1//"] {
        assert!(bad.parse::<Cursor>().is_err(), "{bad:?}");
    }
}

async fn end(it: &TestStore, id: &str, status: Status) {
    end_claimed(it, &it.start(id).await, status).await;
}

async fn end_claimed(it: &TestStore, key: &RunKey, status: Status) {
    let claim = it.claim_one("one").await;
    assert_eq!(claim.info.key, *key);
    it.store
        .commit(&claim.lease, last_step(status))
        .await
        .unwrap();
}

async fn runs_that_have_ended_are_pruned_by_age_and_number(it: TestStore) {
    for (id, status) in [
        ("a", Status::Done),
        ("b", Status::Cancelled),
        ("failed", Status::Failed),
        ("asks", Status::Suspended),
        ("c", Status::Done),
        ("d", Status::Done),
    ] {
        end(&it, id, status).await;
        it.pass(10);
    }
    let left = async || {
        let page = it.store.list(Filter::new()).await.unwrap();
        ids(&page).join(" ")
    };
    let prune = async |retention| {
        it.store
            .prune(&TenantFilter::Nobody, retention)
            .await
            .unwrap()
    };
    assert_eq!(
        prune(Retention::max_age(Duration::from_secs(3600))).await,
        0
    );
    // `a` ended 60 seconds ago, and `b` 50.
    assert_eq!(prune(Retention::max_age(Duration::from_secs(50))).await, 1);
    assert_eq!(left().await, "d c asks failed b");
    let newest = Retention::max_age(Duration::MAX).with_max_runs(1);
    assert_eq!(prune(newest).await, 2);
    assert_eq!(left().await, "d asks failed");
}

async fn the_newest_runs_of_each_tenant_are_kept(it: TestStore) {
    for (tenant, id) in [
        ("acme", "one"),
        ("beta", "one"),
        ("acme", "two"),
        ("beta", "two"),
    ] {
        let key = key(id).of_tenant(tenant).unwrap();
        it.store.start(new_run(&key)).await.unwrap();
        end_claimed(&it, &key, Status::Done).await;
        it.pass(1);
    }
    end(&it, "nobodys", Status::Done).await;
    let one = Retention::max_age(Duration::MAX).with_max_runs(1);
    assert_eq!(it.store.prune(&TenantFilter::Every, one).await.unwrap(), 2);
    for tenant in ["acme", "beta"] {
        let of_tenant = async |id| it.store.get(&key(id).of_tenant(tenant).unwrap()).await;
        assert!(of_tenant("one").await.is_err());
        of_tenant("two").await.unwrap();
    }
    it.store.get(&key("nobodys")).await.unwrap();
}

async fn a_pruned_run_is_gone_with_all_that_was_its(it: TestStore) {
    end(&it, "a", Status::Done).await;
    it.pass(1);
    let all = Retention::max_age(Duration::ZERO);
    assert_eq!(it.store.prune(&TenantFilter::Nobody, all).await.unwrap(), 1);
    assert!(it.store.get(&key("a")).await.is_err());
    // The id is free, and nothing of the old run shows.
    let key = it.start("a").await;
    assert_eq!(
        it.store.history(&key, 0, usize::MAX).await.unwrap().len(),
        1
    );
    assert!(it.store.load(&key).await.unwrap().inbox.is_empty());
}
