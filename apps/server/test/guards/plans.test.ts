import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { statementNames } from '../../src/platform/db/statement-names.ts';
import { startApi } from '../harness.ts';

/** The hot statements at size: 10^4 flows, entries and keys in CI, 10^6 in the full size. */
const ROWS = process.env['WAYMARK_TEST_SIZE'] === 'full' ? 1_000_000 : 10_000;

const api = await startApi();

beforeAll(async () => {
  await sql`
    insert into org (id, name, kind, created_at)
    select gen_random_uuid(), 'org-' || i, 'shared', now() from generate_series(1, 1000) as i`.execute(api.db);
  await sql`
    insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
      last_modified_at, latest_activity_at)
    select case when i % 3 = 0 then ${api.org.id}::uuid else orgs.ids[1 + i % 1000] end, gen_random_uuid(), 'flow-' || i,
      '', 'private', 'version: 1', '', 1, now(), 'x', now(), now() - make_interval(secs => i)
    from generate_series(1, ${ROWS}) as i, (select array_agg(id) as ids from org) as orgs`.execute(api.db);
  await sql`
    insert into api_key (id, hash, user_id, description, created_at)
    select gen_random_uuid(), sha256(i::text::bytea), (select id from user_account limit 1), '', now()
    from generate_series(1, ${ROWS}) as i`.execute(api.db);
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select orgs.ids[1 + i % 1000], gen_random_uuid(), now(), 'flow.updated', 1, 'system', 'x', 'flow', gen_random_uuid(), 1,
      '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from generate_series(1, ${ROWS}) as i, (select array_agg(id) as ids from org) as orgs`.execute(api.db);
  await sql`
    insert into feed_event (org_id, position, entry_id, type, subject_kind, subject_id, actor_name, recorded_at)
    select ${api.org.id}, i, gen_random_uuid(), 'flow.updated', 'flow', gen_random_uuid(), 'x', now()
    from generate_series(1, ${ROWS}) as i`.execute(api.db);
  await sql`vacuum analyze`.execute(api.db);
}, 600_000);

/** Tables that a plan reads from one end to the other, and sorts that went to disk. */
async function costly(query: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await sql<{ 'QUERY PLAN': object[] }>`explain (analyze, format json) ${query}`.execute(api.db);
  const found: string[] = [];
  const walk = (node: Record<string, unknown>): void => {
    const rowsRead = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0);
    if (node['Node Type'] === 'Seq Scan' && rowsRead > 1000) found.push(`Seq Scan on ${String(node['Relation Name'])}`);
    if (node['Sort Space Type'] === 'Disk') found.push('Sort on disk');
    for (const child of (node['Plans'] as Record<string, unknown>[] | undefined) ?? []) walk(child);
  };
  for (const plan of rows[0]?.['QUERY PLAN'] ?? []) walk((plan as { Plan: Record<string, unknown> }).Plan);
  return found;
}

/** A declared statement with its parameters in place. */
function declared(name: string, values: readonly unknown[]): ReturnType<typeof sql> {
  const text = [...statementNames].find(([, known]) => known === name)?.[0] ?? '';
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql``,
  );
}

const org = api.org.id;
const hot: [string, () => ReturnType<typeof sql>][] = [
  ['find_callers', () => declared('find_callers', [[Buffer.alloc(32)], ['org-7'], new Date()])],
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
  [
    'what the relay reads',
    () => sql`
      select entry.* from relay_cursor as cursor cross join lateral (
        select org_id, xid, seq, type from journal where lane = cursor.lane and (xid, seq) > (cursor.xid, cursor.seq)
          and xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid, seq limit 128
      ) as entry`,
  ],
  [
    'what a processor reads',
    () => sql`
      select org_id, xid, seq, type from journal where lane = 3 and (xid, seq) > ('0', 0) and xid < pg_snapshot_xmin(pg_current_snapshot())
      order by xid, seq limit 500`,
  ],
  [
    'the feed after a position',
    () => sql`select * from feed_event where org_id = ${org} and position > 5000 order by position limit 500`,
  ],
];

describe(`with ${ROWS.toLocaleString('en')} rows`, () => {
  it.each(hot)('%s is found through an index', async (_, query) => {
    expect(await costly(query())).toEqual([]);
  });

  it('a query without an index is noticed', async () => {
    expect(await costly(sql`select * from flow where org_id is not null and description = 'none'`)).toEqual([
      'Seq Scan on flow',
    ]);
  });
});
