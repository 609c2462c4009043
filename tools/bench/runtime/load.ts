import type { Installation } from '../installation.ts';
import { DETAIL } from './reports.ts';

/** Environments of one shape: how many run in each at any time, and how many were replaced in each snapshot. */
export interface Shape {
  readonly prefix: string;
  readonly environments: number;
  readonly slots: number;
  readonly snapshots: number;
  readonly replaced: number;
}

/** Loads reported artifacts, so that what runs has provenance. */
export interface LoadedProvenance {
  readonly flows: number;
  readonly trails: number;
}

export function runsOf({ slots, snapshots, replaced }: Shape): number {
  return slots + replaced * (snapshots - 1);
}

const MINUTES_APART = 1;

/** SQL for the number of the artifact that a run runs: each run has one of its own. */
const ARTIFACT_ID = `md5('artifact ' || artifact)::uuid`;
const FINGERPRINT = `encode(sha256(('artifact ' || artifact)::bytea), 'hex')`;
const COMMIT = (number: string) => `encode(substr(sha256(('commit ' || ${number})::bytea), 1, 20), 'hex')`;

/** The SQL of `shortName`. */
const NAME = `'registry.example.com/acme/service-' || lpad((slot + 1)::text, 5, '0')`;

/** Flows and trails, as far as artifacts need them. */
export function loadProvenance(installation: Installation, { flows, trails }: LoadedProvenance): void {
  const org = orgOf(installation);
  installation.sql(`
    insert into flow (org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
      last_modified_at, latest_activity_at)
    select '${org}', md5('flow ' || i)::uuid, 'flow-' || i, '', 'private', 'version: 1', '', 1, now(), 'ada', now(), now()
    from generate_series(0, ${flows - 1}) as i`);
  installation.sql(`
    insert into flow_template (org_id, id, content)
    values ('${org}', flow_template_id('version: 1', null), 'version: 1') on conflict do nothing`);
  withoutIndexes(installation, ['trail', 'trail_event', 'trail_commit'], () => {
    installation.sql(`
      insert into trail (org_id, id, flow_id, name, description, git_commit_info, commit_sha, branch, template_id,
        auto_created, revision, created_at, created_by, last_modified_at)
      select '${org}', md5('trail ' || i)::uuid, md5('flow ' || i % ${flows})::uuid, 'build-' || i, '',
        ${commitInfo('i')}, ${COMMIT('i')}, 'main', flow_template_id('version: 1', null), false, 1,
        now() - interval '300 days', 'ada', now() - interval '300 days'
      from generate_series(0, ${trails - 1}) as i`);
    installation.sql(`
      insert into trail_event (org_id, trail_id, receipt, type, changes, created_at, created_by)
      select org_id, id, receipt, 'trail_reported', '{}', created_at, created_by from trail`);
    installation.sql(`
      insert into trail_commit (org_id, commit_sha, trail_receipt, trail_id)
      select org_id, commit_sha, receipt, id from trail`);
  });
}

/** As JSON text, of about 250 bytes. */
function commitInfo(number: string): string {
  return `json_build_object('author', 'Ada Lovelace <ada@example.com>', 'branch', 'main',
    'message', 'Keep the session when the token is renewed', 'sha1', ${COMMIT(number)}, 'timestamp', 1790000000,
    'url', 'https://git.example.com/acme/web/commit/' || ${COMMIT(number)})::text`;
}

/**
 * Environments with their history, as reports of the type server would have written it: the first snapshot starts
 * something in every slot, and each later one replaces what runs in some, in a few slots far more often than in others.
 * Every run is of an artifact of its own. Numbers of artifacts go on from `firstArtifact`.
 */
export function loadEnvironments(
  installation: Installation,
  shape: Shape,
  { flows, trails }: LoadedProvenance,
  firstArtifact = 0,
): void {
  const org = orgOf(installation);
  const environment = `md5('${shape.prefix} ' || e)::uuid`;
  installation.sql(`create unlogged table planned as ${planned(shape, firstArtifact)}`);
  withoutIndexes(installation, ['artifact', 'running', 'running_instances', 'running_verdict', 'snapshot'], () => {
    installation.sql(`
      insert into artifact (org_id, id, flow_id, trail_id, fingerprint, filename, template_name, commit_sha, branch,
        build_url, commit_url, repo_url, content, created_at, created_by)
      select '${org}', ${ARTIFACT_ID}, md5('flow ' || artifact % ${trails} % ${flows})::uuid,
        md5('trail ' || artifact % ${trails})::uuid, ${FINGERPRINT}, ${NAME}, null, ${COMMIT('artifact')}, 'main',
        'https://ci.example.com/acme/builds/' || artifact,
        'https://git.example.com/acme/web/commit/' || ${COMMIT('artifact')}, 'https://git.example.com/acme/web',
        '{"git_commit_info":' || ${commitInfo('artifact')} || '}', now() - interval '300 days', 'ada'
      from planned`);
    installation.sql(`
      insert into running (org_id, environment_id, no, fingerprint, name, from_index, until_index, lineage,
        started_with, deployments)
      select '${org}', ${environment}, no, ${FINGERPRINT}, ${NAME}, from_index, until_index, 'name ' || ${NAME},
        1, array[from_index]
      from planned`);
    installation.sql(`
      insert into running_instances (org_id, environment_id, no, from_index, until_index, count, detail)
      select '${org}', ${environment}, no, from_index, until_index, 1, '${DETAIL}' from planned`);
    installation.sql(`
      insert into running_verdict (org_id, environment_id, no, from_index, until_index, cause, compliance, artifact_ids,
        replaced_no)
      select '${org}', ${environment}, no, from_index, until_index, 'started', 'unknown', array[${ARTIFACT_ID}],
        replaced_no
      from planned`);
    installation.sql(`
      insert into snapshot (org_id, environment_id, index, created_at, created_by, trigger, compliance, artifact_count,
        compliant_count, non_compliant_count, started_count, event_total)
      select '${org}', ${environment}, i, ${createdAt(shape)}, 'ada', 'report', 'unknown', ${shape.slots}, 0, 0,
        case i when 1 then ${shape.slots} else ${shape.replaced} end,
        ${shape.slots} + 2 * ${shape.replaced} * (i - 1)::bigint
      from generate_series(1, ${shape.environments}) as e, generate_series(1, ${shape.snapshots}) as i`);
  });
  installation.sql(`
    insert into environment (org_id, id, name, type, description, include_scaling, require_provenance, revision,
      created_at, created_by, last_modified_at, snapshot_count, last_changed_at, run_count)
    select '${org}', ${environment}, '${shape.prefix}-' || e, 'server', '', false, false, 1 + ${shape.snapshots},
      now() - interval '400 days', 'ada', now() - interval '400 days' + e * interval '1 second', ${shape.snapshots},
      (select created_at from snapshot where org_id = '${org}' and environment_id = ${environment}
        and index = ${shape.snapshots}), ${runsOf(shape)}
    from generate_series(1, ${shape.environments}) as e`);
  installation.sql('drop table planned');
}

/** Truncated to the second, so that a moment can be asked for; taken once, as all of them are relative to it. */
function createdAt({ snapshots }: Shape): string {
  return `date_trunc('second', now()) - (${snapshots} - i) * interval '${MINUTES_APART} minutes'`;
}

function planned({ environments, slots, snapshots, replaced }: Shape, firstArtifact: number): string {
  const share = Math.floor(slots / replaced);
  return `
    select e, no, slot, from_index, ${firstArtifact} + (e - 1)::bigint * ${slots + replaced * (snapshots - 1)} + no as artifact,
      lead(from_index) over (partition by e, slot order by no) as until_index,
      lag(no) over (partition by e, slot order by no) as replaced_no
    from (
      select e, slot + 1 as no, slot, 1 as from_index
      from generate_series(1, ${environments}) as e, generate_series(0, ${slots - 1}) as slot
      union all
      select e, ${slots} + (i - 2) * ${replaced} + side + 1, side * ${share} + floor(${share} * power(
          (hashint8(e * 10000000::bigint + i * 10 + side)::bigint & 1048575) / 1048576.0, 3))::integer, i
      from generate_series(1, ${environments}) as e, generate_series(2, ${snapshots}) as i,
        generate_series(0, ${replaced - 1}) as side
    ) as runs`;
}

/** Indexes that are made afterwards take a fraction of the time. */
export function withoutIndexes(installation: Installation, tables: readonly string[], work: () => unknown): void {
  const definitions = installation.sql(`
    select pg_get_indexdef(indexrelid) || ';' from pg_index
    where indrelid = any(array['${tables.join(`', '`)}']::regclass[]) and not indisprimary`);
  const names = installation.sql(`
    select string_agg(indexrelid::regclass::text, ', ') from pg_index
    where indrelid = any(array['${tables.join(`', '`)}']::regclass[]) and not indisprimary`);
  if (names) installation.sql(`drop index ${names}`);
  work();
  installation.sql(`set maintenance_work_mem = '512MB'; ${definitions}`);
}

export function orgOf(installation: Installation): string {
  return installation.sql(`select id from org where name = 'acme'`);
}

/** Otherwise they would start by themselves during the measurement. */
export function settle(installation: Installation): void {
  installation.sql('vacuum analyze');
  installation.sql('checkpoint');
}

export function countsIn(installation: Installation, tables: readonly string[]): string {
  return tables
    .map((table) => `${Number(installation.sql(`select count(*) from ${table}`)).toLocaleString('en')} of ${table}`)
    .join(', ');
}
