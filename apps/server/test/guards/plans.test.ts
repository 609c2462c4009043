import { hash, randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { addToStorage, COUNTED_TYPES } from '../../src/features/org-settings/storage-quotas/storage-quota.store.ts';
import { createFindCaller } from '../../src/platform/http/find-caller.ts';
import '../../src/platform/journal/event-publisher.ts';
import { declareLanes } from '../../src/platform/journal/leases.ts';
import '../../src/platform/journal/pass.ts';
import '../../src/platform/journal/processor.ts';
import { startApi } from '../harness.ts';
import { costly, costlyIn } from './plans/costly.ts';
import { declared } from './plans/declared.ts';
import { openExplainer } from './plans/explained.ts';

/** The hot statements at size: 10^4 flows, entries, keys and trails in CI, 10^6 in the full size. */
const ROWS = isFull ? 1_000_000 : 10_000;
/** With five attestations and one artifact each. With fewer or shorter rows, a scan would be the right choice. */
const TRAILS = Math.max(10_000, ROWS / 5);
const ORGS = 10_000;
const USERS = 50_000;

const api = await startApi();

beforeAll(async () => {
  await sql`
    insert into org (id, name, kind, created_at)
    select gen_random_uuid(), 'org-' || i, 'shared', now() from generate_series(1, ${ORGS}) as i`.execute(api.db);
  await sql`insert into org_storage (org_id) select id from org`.execute(api.db);
  await inParts(
    ROWS,
    (first, last) => sql`
    insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
      last_modified_at, latest_activity_at)
    select case when i % 3 = 0 then ${api.org.id}::uuid else orgs.ids[1 + i % 1000] end, md5('flow-' || i)::uuid,
      'flow-' || i, '', 'private', 'version: 1', '', 1, now(), 'x', now(), now() - make_interval(secs => i)
    from generate_series(${first}::int, ${last}::int) as i, (select array_agg(id) as ids from org) as orgs`,
  );
  await insertPeople();
  await inParts(
    ROWS,
    (first, last) => sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select orgs.ids[1 + i % 1000], gen_random_uuid(), now(), 'flow.updated', 1, 'system', 'x', 'flow', gen_random_uuid(), 1,
      '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from generate_series(${first}::int, ${last}::int) as i, (select array_agg(id) as ids from org) as orgs`,
  );
  await inParts(
    ROWS,
    (first, last) => sql`
    insert into ledger (org_id, index, lane, position, entry_seq, entry_id, sequenced_at, leaf_hash)
    select orgs.ids[1 + i % 1000], i / 1000, i % 64, 1 + i / 64, i, gen_random_uuid(), now(), sha256('')
    from generate_series(${first}::int, ${last}::int) as i, (select array_agg(id) as ids from org) as orgs`,
  );
  await declareLanes(api.db, [{ name: 'flow-activity', begins: 'at the first entry' }]);
  await sql`update processor_position set holder = ${api.org.id}`.execute(api.db);
  await insertEvidence();
  await sql`vacuum analyze`.execute(api.owner);
}, 600_000);

/** Because statements are limited to 30 seconds. */
async function inParts(rows: number, insert: (first: number, last: number) => RawBuilder<unknown>): Promise<void> {
  const most = 200_000;
  for (let first = 1; first <= rows; first += most) {
    await insert(first, Math.min(rows, first + most - 1)).execute(api.db);
  }
}

/** Each with a key and a session, and a member of two orgs. */
async function insertPeople(): Promise<void> {
  await sql`
    insert into user_account (id, login, created_at, personal_org_id)
    select md5('user-' || i)::uuid, 'user-' || i, now(), orgs.ids[1 + i % ${ORGS}::int]
    from generate_series(1, ${USERS}) as i, (select array_agg(id) as ids from org) as orgs`.execute(api.db);
  await sql`
    insert into membership (org_id, user_id, role, created_at)
    select distinct on (1, 2) orgs.ids[1 + (i * step) % ${ORGS}::int], md5('user-' || i)::uuid, 'member', now()
    from generate_series(1, ${USERS}) as i, unnest(array[1, 7]) as step,
      (select array_agg(id) as ids from org) as orgs`.execute(api.db);
  const keys = Math.max(ROWS, USERS);
  await inParts(
    keys,
    (first, last) => sql`
    insert into api_key (id, hash, user_id, description, created_at)
    select gen_random_uuid(), sha256(i::text::bytea), md5('user-' || 1 + i % ${USERS}::int)::uuid, '', now()
    from generate_series(${first}::int, ${last}::int) as i`,
  );
  await inParts(
    keys,
    (first, last) => sql`
    insert into session (id, hash, user_id, method, address, user_agent, created_at, last_seen_at)
    select gen_random_uuid(), sha256(i::text::bytea), md5('user-' || 1 + i % ${USERS}::int)::uuid, 'link', '', '', now(), now()
    from generate_series(${first}::int, ${last}::int) as i`,
  );
}

/**
 * All in one org, so that the org alone narrows nothing down. Attestations have the receipts from three to eight times
 * the number of trails.
 */
async function insertEvidence(): Promise<void> {
  await sql`
    insert into trail (org_id, id, flow_id, name, description, commit_sha, branch, template_id, auto_created, revision,
      created_at, created_by, last_modified_at)
    select ${api.org.id}, md5('trail-' || i)::uuid, md5('flow-' || 3 * (1 + i % 40))::uuid, 'trail-' || i,
      repeat('x', 500), md5('commit-' || i / 2), 'branch-' || i % 1000, gen_random_uuid(), false, 1, now(), 'x', now()
    from generate_series(1, ${TRAILS}) as i`.execute(api.db);
  await sql`
    insert into trail_event (org_id, trail_id, type, changes, created_at, created_by)
    select org_id, id, 'trail_reported', '{}', now(), 'x' from trail where org_id = ${api.org.id}`.execute(api.db);
  await sql`
    insert into trail_commit (org_id, commit_sha, trail_receipt, trail_id)
    select org_id, commit_sha, receipt, id from trail where org_id = ${api.org.id}`.execute(api.db);
  await sql`
    insert into artifact (org_id, id, flow_id, trail_id, fingerprint, filename, commit_sha, build_url, commit_url, repo_url,
      content, created_at, created_by)
    select org_id, gen_random_uuid(), flow_id, id, md5(name), name, commit_sha, '', '', '', repeat('x', 500),
      now(), 'x'
    from trail where org_id = ${api.org.id}`.execute(api.db);
  // In parts, because statements are limited to 30 seconds.
  for (let first = 0; first < TRAILS; first += TRAILS / 5) {
    await sql`
      insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, commit_sha, control,
        trust, content, verdict, created_at, created_by)
      select org_id, md5(name || type)::uuid, flow_id, id, 'check-' || type, type, type, true, commit_sha,
        case when type = 'decision' then 'control-' || receipt % 5 end, 'api_key', '{}', '{}', now(), 'x'
      from trail cross join unnest(array['generic', 'junit', 'snyk', 'decision', 'jira']) as type
      where org_id = ${api.org.id} and receipt > ${first} and receipt <= ${first + TRAILS / 5}
      order by receipt`.execute(api.db);
  }
}

const org = api.org.id;
const hot: [string, () => ReturnType<typeof sql>][] = [
  ['find_callers', () => declared('find_callers', [1, 1, hashes(1), orgNames(1), new Date()])],
  ['find_callers of nobody', () => declared('find_callers', [1, 1, [Buffer.alloc(32)], ['never-was'], new Date()])],
  [
    'find_session_callers',
    () => declared('find_session_callers', [1, 1, hashes(1), orgNames(1), new Date(0), new Date(0)]),
  ],
  ['a flow by name', () => sql`select * from flow where org_id = ${org} and name = 'flow-3' and archived_at is null`],
  [
    'the first page of flows',
    () => sql`select id from flow where org_id = ${org} and archived_at is null order by name limit 20`,
  ],
  [
    'a deep page of flows',
    () => sql`select id from flow where org_id = ${org} and archived_at is null order by name limit 20 offset 500`,
  ],
  [
    'flows by activity',
    () =>
      sql`select id from flow where org_id = ${org} and archived_at is null order by latest_activity_at desc, name desc limit 20`,
  ],
  ['what the sequencer reads', () => declared('read_unsequenced', ['{5,500}', '{9,600}', '1000', '9000', '17192'])],
  ['what the publisher reads', () => declared('list_unpublished', ['{3,40}', '{10,20}'])],
  ['what a processor reads', () => declared('lock_and_list_next', ['flow-activity', '{3,19}', org, '500'])],
  ['list_feeds', () => declared('list_feeds', [`{${org},${org}}`, '{500,100}'])],
  ['find_feed_heads', () => declared('find_feed_heads', [`{${org}}`])],
  ['find_places', () => declared('find_places', [json(64, destination)])],
  [
    'find_overridable',
    () => declared('find_overridable', [org, md5('trail-3'), 'check-junit', 'junit', md5('trail-3'), null, null, null]),
  ],
  ['insert_attestations of overrides', () => declared('insert_attestations', [json(64, newOverride), '200'])],
  ['insert_attestations', () => declared('insert_attestations', [json(64, newAttestation), '200'])],
  [
    'list_counting_attestations',
    () => declared('list_counting_attestations', [org, [md5('trail-3'), md5('trail-1003')]]),
  ],
  ['list_reported_artifacts', () => declared('list_reported_artifacts', [org, [md5('trail-3'), md5('trail-1003')]])],
  ['a page of attestations', () => attestationPage(sql`true`)],
  ['a page of attestations of a type', () => attestationPage(sql`type = 'decision'`)],
  ['a page of attestations of no type', () => attestationPage(sql`type = 'sbom'`)],
  ['a page of attestations of a flow', () => attestationPage(sql`flow_id = ${md5('flow-3')}`)],
  ['a page of attestations with a name', () => attestationPage(sql`name = 'check-junit'`)],
  [
    'a page of attestations of some types',
    () => sql`
      select found.* from unnest(${['decision', 'junit']}::text[]) as wanted (value)
      cross join lateral (
        select * from attestation where org_id = ${org} and type = wanted.value
        order by created_at desc, receipt desc limit 21
      ) as found`,
  ],
  ['attestations in a window of time', () => attestationPage(sql`created_at between '2026-01-01' and '2026-01-02'`)],
  ['a page of decisions on a control', () => decisionPage(sql`true`)],
  ['decisions on a control in a window of time', () => decisionPage(sql`created_at > '2026-01-01'`)],
  ['attestations of a commit', () => attestationPage(sql`commit_sha = ${md5('commit-7')}`)],
  [
    'trails that report a commit',
    () => sql`
      select flow.name as flow_name, trail.name as trail_name, coalesce(
        (select branch from artifact
         where org_id = ${org} and trail_id = trail.id and commit_sha = ${md5('commit-7')} and branch <> ''
         order by receipt desc limit 1),
        (select branch from attestation
         where org_id = ${org} and trail_id = trail.id and commit_sha = ${md5('commit-7')} and branch <> ''
         order by receipt desc limit 1), trail.branch) as branch
      from (
        select trail_id from trail_commit where org_id = ${org} and commit_sha = ${md5('commit-7')}
        order by trail_receipt desc limit 15 offset 0
      ) as reporting
      join trail on trail.org_id = ${org} and trail.id = reporting.trail_id
      join flow on flow.org_id = trail.org_id and flow.id = trail.flow_id
      order by trail.receipt desc`,
  ],
  [
    'a page of trails',
    () => sql`
      select trail.*, flow.name as flow_name from trail
      join flow on flow.org_id = trail.org_id and flow.id = trail.flow_id
      where trail.org_id = ${org} and trail.id in (
        select id from trail where org_id = ${org} order by receipt desc limit 20 offset 500)
      order by trail.receipt desc`,
  ],
  [
    'trails of a flow by the first digits of their commit',
    () => sql`
      select trail.id, trail.receipt from trail
      where trail.org_id = ${org} and trail.flow_id = ${md5('flow-3')} and trail.id in (
        select trail_id from trail_commit
        where org_id = ${org} and commit_sha >= ${md5('commit-20').slice(0, 8)}
          and commit_sha < ${`${md5('commit-20').slice(0, 8)}g`})
      order by trail.receipt desc limit 201`,
  ],
  [
    'trails of a flow by branch',
    () => sql`
      select trail.id, trail.receipt from trail
      where trail.org_id = ${org} and trail.flow_id = ${md5('flow-3')}
        and (left(trail.branch, 200) = left('branch-40', 200) and trail.branch = 'branch-40')
      order by trail.receipt desc limit 201`,
  ],
  [
    'trails of a flow by time',
    () => sql`
      select count(*) as total from trail
      where trail.org_id = ${org} and trail.flow_id = ${md5('flow-3')}
        and trail.created_at >= now() - interval '1 year' and trail.created_at <= now() - interval '364 days'`,
  ],
  ['events of a trail', () => trailEvents(md5('trail-7'))],
  [
    'an artifact by its fingerprint',
    () => sql`
      select * from artifact where org_id = ${org} and fingerprint = ${md5('trail-7')} and flow_id = ${md5('flow-24')}
      order by receipt desc limit 1`,
  ],
  [
    'an artifact by the first digits of its fingerprint',
    () => sql`
      select distinct fingerprint as match from artifact
      where org_id = ${org} and fingerprint >= '7f3c' and fingerprint < '7f3cg' and flow_id = ${md5('flow-24')}
      order by match limit 11`,
  ],
];

function hashes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => hash('sha256', String(i + 1), 'buffer'));
}

function orgNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `org-${i + 1}`);
}

function md5(text: string): string {
  return hash('md5', text);
}

function json(count: number, make: (place: number) => object): string {
  return JSON.stringify(Array.from({ length: count }, (_, place) => ({ place, ...make(place) })));
}

function destination(place: number) {
  const number = 40 * (1 + place);
  return {
    org_id: org,
    flow_name: 'flow-3',
    trail_name: `trail-${number}`,
    fingerprint: md5(`trail-${number}`),
    evidence_id: randomUUID(),
  };
}

function newAttestation(place: number) {
  return {
    ...{ org_id: org, id: randomUUID(), flow_id: md5('flow-3'), trail_id: md5(`trail-${40 * (1 + place)}`) },
    ...{ trail_receipt: 1, name: 'check-1', type: 'generic', counts_as: 'generic', is_compliant: true },
    ...{ commit_sha: md5('commit-7'), trust: 'api_key', content: '{}', verdict: '{}', created_at: new Date() },
    ...{ evidence_id: randomUUID(), request_digest: '00', answer: 'bound', entry_id: randomUUID() },
    ...{ entry_type: 'attestation.recorded', entry_version: 3, actor_kind: 'system', actor_name: 'x', payload: '{}' },
    ...{ nonce: '00'.repeat(32), inner_key: '00'.repeat(64), outer_key: '00'.repeat(64) },
  };
}

function newOverride(place: number) {
  const overridden = { name: 'check-junit', counts_as: 'junit', overrides_id: md5(`trail-${40 * (1 + place)}junit`) };
  return { ...newAttestation(place), ...overridden, type: 'override' };
}

function attestationPage(filter: ReturnType<typeof sql>): ReturnType<typeof sql> {
  return sql`
    select attestation.*, trail.name as trail_name, flow.name as flow_name
    from (
      select * from attestation where org_id = ${org} and ${filter} and (created_at, receipt) < (now(), ${6 * TRAILS})
      order by created_at desc, receipt desc limit 21
    ) as attestation
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id
    order by attestation.created_at desc, attestation.receipt desc limit 21`;
}

function decisionPage(filter: ReturnType<typeof sql>): ReturnType<typeof sql> {
  return sql`
    select attestation.*, trail.name as trail_name, flow.name as flow_name from attestation
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    join flow on flow.org_id = attestation.org_id and flow.id = attestation.flow_id
    where attestation.org_id = ${org} and attestation.id in (
      select id from attestation where org_id = ${org} and control = 'control-3' and ${filter}
      order by created_at desc, receipt desc limit 15 offset 500)
    order by attestation.created_at desc, attestation.receipt desc`;
}

function trailEvents(trailId: string): ReturnType<typeof sql> {
  const tables = ['trail_event', 'artifact', 'attestation', 'approval'].map(
    (table) => sql`
      (select receipt, created_at, created_by from ${sql.table(table)}
       where org_id = ${org} and trail_id = ${trailId} and receipt < ${Number.MAX_SAFE_INTEGER}
       order by receipt desc limit 101)`,
  );
  return sql`select * from (${sql.join(tables, sql` union all `)}) as event order by receipt desc limit 101`;
}

describe(`with ${ROWS.toLocaleString('en')} rows`, () => {
  it.each(hot)('%s is found through an index', async (_, query) => {
    expect(await costly(api.db, query())).toEqual([]);
  });

  it.each(['key', 'session'] as const)('callers who come together by %s are found through an index', async (kind) => {
    const explainer = openExplainer(api.ownerUrl);
    const plans = await explainer.explain(async (db) => {
      const findCaller = createFindCaller({ db, now: () => new Date(), storageQuota: { bytes: 1, rows: 1 } });
      const found = hashes(64).map((hash, i) =>
        findCaller({ kind, hash, secret: '' }, `org-${i + 1}`, `network-${i % 2}`),
      );
      expect((await Promise.all(found)).every((row) => row?.actor_kind === 'user')).toBe(true);
    });
    await explainer.close();
    expect(plans.map(({ statement }) => statement)).toContain(kind === 'key' ? 'find_callers' : 'find_session_callers');
    for (const { name, plan } of plans) expect(costlyIn(plan), name).toEqual([]);
  });

  it('what entries added is counted through an index', async () => {
    const explainer = openExplainer(api.ownerUrl);
    const entry = { org_id: org, seq: 1, id: randomUUID(), recorded_at: new Date(), actor_name: 'x' };
    const types = Object.values(COUNTED_TYPES).flat();
    const entries = Array.from({ length: 50 }, (_, i) => ({
      ...entry,
      type: types[i % types.length] ?? '',
      subject_kind: '',
      subject_id: randomUUID(),
    }));
    const plans = await explainer.explain((db) => addToStorage(db, entries));
    await explainer.close();
    for (const { name, plan } of plans) expect(costlyIn(plan), name).toEqual([]);
  });

  it('a query without an index is noticed', async () => {
    expect(await costly(api.db, sql`select * from flow where org_id is not null and description = 'none'`)).toEqual([
      'Seq Scan on flow',
    ]);
  });

  it('an index that is read in vain is noticed', async () => {
    const none = sql`select id from flow where org_id = ${org} and archived_at is null and strpos(name, 'none') > 0`;
    expect(await costly(api.db, sql`${none} order by name limit 20`)).toEqual(['Index Only Scan on flow']);
  });
});
