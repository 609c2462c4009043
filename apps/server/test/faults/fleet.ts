import { sql } from 'kysely';
import { expect } from 'vitest';
import { buildFleet, type Fleet } from '../../../../tools/bench/rejudge/fleet.ts';
import { isFull } from '../../../../tools/test-size.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrg, type Installation, type Org } from './installation.ts';
import type { ServerProcess } from './processes.ts';

export const ENVIRONMENTS = isFull ? 500 : 30;
const ARTIFACTS = 50;
const BYSTANDERS = 5;

export interface FleetSite {
  readonly site: Installation;
  readonly org: Org;
  readonly fleet: Fleet;
  readonly workers: [ServerProcess, ServerProcess];
}

/** A fleet that was reported and judged, with two idle workers. From now on, requested re-evaluations are recorded. */
export async function givenFleet(): Promise<FleetSite> {
  const site = await givenInstallation();
  const org = await givenOrg(site.ctx, 'acme');
  await site.startApi();
  const fleet = await buildFleet(
    { url: site.url, org: org.name, key: org.key },
    { environments: ENVIRONMENTS, artifacts: ARTIFACTS, bystanders: BYSTANDERS },
  );
  // Otherwise the first plans would be made for empty tables.
  await sql`analyze`.execute(site.db);
  const workers: [ServerProcess, ServerProcess] = [await site.startWorker(), await site.startWorker()];
  await untilRested(site.db);
  await recordRequests(site.db);
  expect(await countEnvironments(site.db, org, 'non-compliant')).toBe(ENVIRONMENTS);
  return { site, org, fleet, workers };
}

async function recordRequests(db: Db): Promise<void> {
  await sql`create table requested_reevaluation (environment_id uuid not null)`.execute(db);
  await sql`
    create function record_request() returns trigger language plpgsql as
    $$ begin insert into requested_reevaluation values (new.environment_id); return null; end $$`.execute(db);
  await sql`
    create trigger record_request after insert on environment_reevaluation for each row execute function record_request()`.execute(
    db,
  );
}

/** Waits until nothing is left to process, and no environment waits for re-evaluation. */
export async function untilRested(db: Db): Promise<void> {
  await untilProcessed(db);
  await expect.poll(() => countWaiting(db), { timeout: 90_000, interval: 50 }).toBe(0);
  // Entries recorded by a re-evaluation were processed as well.
  await untilProcessed(db);
}

export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from environment_reevaluation`.execute(db);
  return rows[0]?.waiting ?? Number.NaN;
}

/** How many environments of the fleet have this compliance in their latest snapshot. */
export async function countEnvironments(db: Db, org: Org, compliance: 'compliant' | 'non-compliant'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from environment
    where org_id = ${org.id} and name like 'fleet-%' and compliance = ${compliance}`.execute(db);
  return rows[0]?.count ?? Number.NaN;
}

/**
 * Snapshots of the fleet's environments apart from reports, oldest first, and how many environments have each sequence.
 */
export async function snapshotsMade(db: Db, org: Org): Promise<{ made: string[]; environments: number }[]> {
  const { rows } = await sql<{ made: string[]; environments: number }>`
    select made, count(*) as environments
    from environment cross join lateral (
      select coalesce(array_agg(trigger || ': ' || compliance order by index), '{}') as made from snapshot
      where org_id = environment.org_id and environment_id = environment.id and trigger <> 'report'
    ) as snapshot
    where org_id = ${org.id} and name like 'fleet-%'
    group by made order by made`.execute(db);
  return rows.map(({ made, environments }) => ({ made, environments }));
}

/** Everything that was lost, duplicated or misplaced, in words; the first few of each kind. */
export async function fleetFaults(db: Db, org: Org): Promise<string[]> {
  const found = [
    await repeatedVerdicts(db, org),
    await brokenHistories(db, org),
    await brokenIntervals(db, org),
    await touchedBystanders(db, org),
    await deadLetters(db),
  ];
  return found.flat();
}

/** One artifact decides about an environment, so every snapshot without a report must change the compliance. */
async function repeatedVerdicts(db: Db, org: Org): Promise<string[]> {
  const { rows } = await sql<{ name: string; index: number; trigger: string }>`
    select name, index, trigger from (
      select environment.name, snapshot.index, snapshot.trigger, snapshot.compliance,
        lag(snapshot.compliance) over (partition by environment.id order by snapshot.index) as before
      from environment join snapshot on snapshot.org_id = environment.org_id
        and snapshot.environment_id = environment.id
      where environment.org_id = ${org.id} and name like 'fleet-%'
    ) as made
    where compliance = before and trigger <> 'report'
    order by name, index limit 5`.execute(db);
  return rows.map((row) => `${row.name}: snapshot ${row.index} for ${row.trigger} says nothing new`);
}

/** Snapshots count 1, 2, 3 …, each with its one entry in the journal, in the order in which processors see them. */
async function brokenHistories(db: Db, org: Org): Promise<string[]> {
  const { rows } = await sql<{ name: string; indexes: string; journaled: string }>`
    select name, snapshot.indexes::text, entry.journaled::text
    from environment
    cross join lateral (
      select array_agg(index order by index) as indexes, (array_agg(compliance order by index desc))[1] as latest
      from snapshot where org_id = environment.org_id and environment_id = environment.id
    ) as snapshot
    cross join lateral (
      select array_agg((payload::json ->> 'index')::integer order by seq)
          filter (where type = 'snapshot.recorded') as journaled,
        array_agg(subject_seq order by seq) as counted
      from journal where org_id = environment.org_id and subject_kind = 'environment' and subject_id = environment.id
    ) as entry
    where environment.org_id = ${org.id} and (
      snapshot.indexes is distinct from (select array_agg(n::integer) from generate_series(1, snapshot_count) as n)
      or entry.journaled is distinct from snapshot.indexes
      or entry.counted is distinct from (select array_agg(n) from generate_series(1, revision) as n)
      or snapshot.latest is distinct from environment.compliance)
    limit 5`.execute(db);
  return rows.map((row) => `${row.name}: snapshots ${row.indexes}, in the journal ${row.journaled}`);
}

/** The verdict on a run ends where the next begins, and everything that runs has a verdict. */
async function brokenIntervals(db: Db, org: Org): Promise<string[]> {
  const { rows } = await sql<{ name: string; no: number }>`
    select environment.name, no from (
      select verdict.environment_id, verdict.no,
        verdict.until_index is distinct from lead(verdict.from_index) over of_run
          and (verdict.until_index is distinct from running.until_index
            or lead(verdict.from_index) over of_run is not null) as is_broken
      from running join running_verdict as verdict using (org_id, environment_id, no)
      where org_id = ${org.id}
      window of_run as (partition by verdict.environment_id, verdict.no order by verdict.from_index)
    ) as verdict join environment on environment.id = verdict.environment_id
    where is_broken limit 5`.execute(db);
  return rows.map((row) => `${row.name}: the verdicts on run ${row.no} do not follow each other`);
}

/** Environments that do not run the artifact are neither re-evaluated nor changed. */
async function touchedBystanders(db: Db, org: Org): Promise<string[]> {
  const { rows } = await sql<{ name: string; snapshots: number; requests: number }>`
    select name, snapshot_count as snapshots,
      (select count(*) from requested_reevaluation where environment_id = environment.id) as requests
    from environment where org_id = ${org.id} and name like 'bystander-%'`.execute(db);
  expect(rows).toHaveLength(BYSTANDERS);
  return rows
    .filter(({ snapshots, requests }) => snapshots !== 1 || requests !== 0)
    .map(({ name, snapshots, requests }) => `${name}: ${snapshots} snapshots, asked to be looked at ${requests} times`);
}

async function deadLetters(db: Db): Promise<string[]> {
  const letters = await db.selectFrom('dead_letter').select(['processor', 'error']).limit(5).execute();
  return letters.map((letter) => `dead letter of ${letter.processor}: ${letter.error}`);
}
