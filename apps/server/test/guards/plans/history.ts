import { sql } from 'kysely';
import { openDb } from '../../../src/platform/db/db.ts';
import { noLog, type TestApi } from '../../harness.ts';

/** How many run at any time, and how many of them each snapshot after the first replaces. */
interface Shape {
  readonly environments: number;
  readonly slots: number;
  readonly snapshots: number;
  readonly replaced: number;
}

export const FLOWS = 40;
/** For each of the artifacts that run at any time. With fewer, a scan would be the right choice. */
const TRAILS_PER_SLOT = 200;
/** Of other orgs, for the same reason. */
const OTHER_ENVIRONMENTS = 45_000;

const ID = sql`md5('environment ' || e)::uuid`;
const NAME = sql`'registry.example.com/service-' || lpad(slot::text, 5, '0')`;
const FINGERPRINT = sql`encode(sha256(('artifact ' || artifact)::bytea), 'hex')`;
const ARTIFACT_ID = sql`md5('artifact ' || artifact)::uuid`;

/**
 * The environment `production` with a long history, and `environment-1`, `environment-2` … with a short one, all in one
 * org, so that the org alone narrows nothing down. In the first slot of production two artifacts alternate; all others
 * there run once. The many run what production ran at first.
 */
export async function loadHistory(api: TestApi, one: Omit<Shape, 'environments'>, many: Shape): Promise<void> {
  // On one connection, because of the temporary table, and for longer than the 30 seconds that a server allows.
  const db = openDb({ url: api.url, poolSize: 1, statementTimeoutMs: 0 }, noLog);
  const org = sql`${api.org.id}::uuid`;
  await sql`create temporary table planned as ${planned(0, 0, one)} union all ${planned(1, many.environments, many)}`.execute(
    db,
  );
  await sql`analyze planned`.execute(db);
  for (const insert of [
    ...provenance(org, one.slots * TRAILS_PER_SLOT),
    ...runs(org),
    snapshots(org, one, many),
    ...environments(org, many),
  ]) {
    await insert.execute(db);
  }
  await db.destroy();
}

/** What runs when and where. Part of it gets new provenance, or is scaled, in the snapshot after its start. */
function planned(first: number, last: number, { slots, snapshots, replaced }: Omit<Shape, 'environments'>) {
  const share = Math.floor(slots / replaced);
  return sql`
    select *, no % 10 = 0 and is_longer as has_new_provenance, no % 7 = 0 and is_longer as is_scaled from (
      select *, from_index < ${snapshots} and coalesce(until_index > from_index + 1, true) as is_longer from (
        select e, no, slot, from_index,
          lead(from_index) over slot_in_time as until_index, lag(no) over slot_in_time as replaced_no,
          case when e > 0 then 10 + (e * 7 + no) % 1000
            when slot = 0 then 1 + row_number() over slot_in_time % 2
            else 10 + no end as artifact
        from (
          select e, slot + 1 as no, slot, 1 as from_index
          from generate_series(${first}::integer, ${last}) as e, generate_series(0, ${slots - 1}) as slot
          union all
          select e, ${slots} + (i - 2) * ${replaced} + side + 1, side * ${share}
            + floor(${share} * power((hashint8(e * 10000000::bigint + i * 10 + side)::bigint & 1048575) / 1048576.0, 3))::integer, i
          from generate_series(${first}::integer, ${last}) as e, generate_series(2, ${snapshots}) as i,
            generate_series(0, ${replaced - 1}) as side
        ) as run
        window slot_in_time as (partition by e, slot order by no)
      ) as placed
    ) as timed`;
}

/** One artifact in a hundred has a repository, one of ten in turn. */
function provenance(org: ReturnType<typeof sql>, trails: number) {
  return [
    sql`
      insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
        last_modified_at, latest_activity_at)
      select ${org}, md5('flow ' || i)::uuid, 'flow-' || i, '', 'private', 'version: 1', '', 1, now(), 'x', now(), now()
      from generate_series(0, ${FLOWS - 1}) as i`,
    sql`
      insert into flow_template (org_id, id, content)
      values (${org}, flow_template_id('version: 1', null), 'version: 1')`,
    sql`
      insert into trail (org_id, id, flow_id, name, description, commit_sha, template_id, auto_created, revision,
        created_at, created_by, last_modified_at)
      select ${org}, md5('trail ' || i)::uuid, md5('flow ' || i % ${FLOWS})::uuid, 'trail-' || i, repeat('x', 500),
        md5('commit ' || i), flow_template_id('version: 1', null), false, 1, now(), 'x', now()
      from generate_series(0, ${trails - 1}) as i`,
    sql`
      insert into repository (org_id, id, identity, name, url, provider, external_id, description, namespace_path,
        additional_info, created_at, last_modified_at)
      select ${org}, md5('repository ' || i)::uuid, 'repository ' || i, 'acme/repository-' || i, '', 'github',
        i::text, '', '{}', '{}', now(), now()
      from generate_series(0, 9) as i`,
    sql`
      insert into artifact (org_id, id, flow_id, trail_id, fingerprint, filename, commit_sha, build_url, commit_url,
        repo_url, repository_id, content, created_at, created_by)
      select ${org}, ${ARTIFACT_ID}, md5('flow ' || artifact % ${FLOWS})::uuid, md5('trail ' || artifact % ${trails}::integer)::uuid,
        ${FINGERPRINT}, 'service', md5('commit ' || artifact), '', 'https://git.example.com/' || artifact, '',
        case when artifact % 100 = 0 then md5('repository ' || artifact / 100 % 10)::uuid end,
        '{"git_commit_info":{"timestamp":1790000000,"message":"' || repeat('x', 200) || '"}}', now(), 'x'
      from (select distinct artifact from planned) as reported order by artifact`,
  ];
}

function runs(org: ReturnType<typeof sql>) {
  const held = (isSplit: ReturnType<typeof sql>) => sql`
    planned cross join lateral (
      select from_index as since, case when ${isSplit} then from_index + 1 else until_index end as until, 1 as part
      union all
      select from_index + 1, until_index, 2 where ${isSplit}
    ) as held`;
  return [
    sql`
      insert into running (org_id, environment_id, no, fingerprint, name, from_index, until_index, lineage, deployments,
        started_with)
      select ${org}, ${ID}, no, ${FINGERPRINT}, ${NAME}, from_index, until_index, 'name ' || ${NAME}, array[from_index],
        1
      from planned order by e, no`,
    sql`
      insert into running_instances (org_id, environment_id, no, from_index, until_index, count, detail)
      select ${org}, ${ID}, no, since, until, part, '{"timestamps":[1790000000]}'
      from ${held(sql`is_scaled`)} order by e, no, since`,
    sql`
      insert into running_verdict (org_id, environment_id, no, from_index, until_index, cause, compliance, artifact_ids,
        replaced_no)
      select ${org}, ${ID}, no, since, until, case part when 1 then 'started' else 'provenance' end, 'unknown',
        case when part = 1 and has_new_provenance then '{}' else array[${ARTIFACT_ID}] end, replaced_no
      from ${held(sql`has_new_provenance`)} order by e, no, since`,
  ];
}

function snapshots(org: ReturnType<typeof sql>, one: Omit<Shape, 'environments'>, many: Shape) {
  return sql`
    insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
      compliant_count, non_compliant_count, started_count, event_total)
    select ${org}, ${ID}, i, date_trunc('second', now()) - case e when 0 then (${one.snapshots} - i) * interval '1 minute'
        else (${many.snapshots} - i) * interval '1 day' + e * interval '10 seconds' end,
      'x', 'report', 'unknown', case e when 0 then ${one.slots}::integer else ${many.slots}::integer end, 0, 0,
      sum(started), sum(count(*)) over (partition by e order by i)
    from (
      select e, from_index as i, 1 as started from planned
      union all
      select e, until_index, 0 from planned where until_index is not null
      union all
      select e, from_index + 1, 0 from planned where has_new_provenance
    ) as event
    group by e, i order by e, i`;
}

/** And `whole` of a few, `large-whole` of many and production. */
function environments(org: ReturnType<typeof sql>, many: Shape) {
  const insert = sql`insert into environment (org_id, id, name, type, description, include_scaling, require_provenance,
    revision, created_at, created_by, last_modified_at, snapshot_count, last_changed_at, run_count)`;
  return [
    sql`
      ${insert}
      select ${org}, id, case e when 0 then 'production' else 'environment-' || e end, 'server', repeat('x', 100), true,
        false, 1 + latest.index, now(), 'x', now() - e * interval '1 second', latest.index, latest.created_at, last.no
      from (select e, ${ID} as id from generate_series(0, ${many.environments}) as e) as environment
      cross join lateral (
        select index, created_at from snapshot where org_id = ${org} and environment_id = id order by index desc limit 1
      ) as latest
      cross join lateral (
        select no from running where org_id = ${org} and environment_id = id order by no desc limit 1
      ) as last`,
    sql`
      ${insert}
      select ${org}, md5(name)::uuid, name, 'logical', '', true, false, 1, now(), 'x', now(), 0, null, 0
      from unnest(array['whole', 'large-whole']) as name`,
    sql`
      ${insert}
      select md5('org ' || i % 1000)::uuid, md5('other ' || i)::uuid, 'environment-' || i, 'server', repeat('x', 100),
        true, false, 1, now(), 'x', now(), 0, null, 0
      from generate_series(1, ${OTHER_ENVIRONMENTS}) as i`,
    sql`
      insert into environment_member (org_id, logical_id, physical_id)
      select ${org}, md5('whole')::uuid, ${ID} from generate_series(1, 10) as e
      union all
      select ${org}, md5('large-whole')::uuid, ${ID} from generate_series(0, 200) as e`,
    sql`
      insert into environment_heartbeat (org_id, environment_id, last_reported_at, intervals)
      select ${org}, ${ID}, now(), '{60,60,60,60,60,60,60,60,60,60}'::integer[] from generate_series(0, ${many.environments}) as e
      union all
      select md5('org ' || i % 1000)::uuid, md5('other ' || i)::uuid, now(), '{60}'::integer[]
      from generate_series(1, ${OTHER_ENVIRONMENTS}) as i`,
    sql`
      insert into tag (org_id, subject_kind, subject_id, key, value)
      select ${org}, 'environment', ${ID}, 'team', 'team-' || e % 100 from generate_series(0, ${many.environments}) as e`,
  ];
}
