import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Entry, Processor } from '../../../platform/journal/processor.ts';
import { EVERYTHING, REQUESTED_AGAIN } from './reevaluation-queue.store.ts';

/**
 * Maps entries of one kind to what must be re-evaluated: an artifact in an environment, or everything that runs there.
 */
type Concerns = (entries: readonly Entry[]) => ReturnType<typeof sql>;

/**
 * Artifacts with the image indexes that list them and the platforms that they list, including those that a newer report
 * left out: evidence about one counts for the other.
 */
const withRelatives = (artifacts: ReturnType<typeof sql>) => sql`
  with artifact as (${artifacts})
  select org_id, fingerprint from artifact
  union
  select image.org_id, image.platform_fingerprint from artifact
  join image_platform as image on image.org_id = artifact.org_id and image.index_fingerprint = artifact.fingerprint
  union
  select image.org_id, image.index_fingerprint from artifact
  join image_platform as image on image.org_id = artifact.org_id and image.platform_fingerprint = artifact.fingerprint`;

/** Environments that run these artifacts now. */
const runningOf = (artifacts: ReturnType<typeof sql>, cause: string) => sql`
  select running.org_id, running.environment_id, running.fingerprint, ${cause}::text as cause
  from (${withRelatives(artifacts)}) as artifact
  join running on running.org_id = artifact.org_id and running.fingerprint = artifact.fingerprint
    and running.until_index is null and running.fingerprint <> ''`;

const subjects = (entries: readonly Entry[]) => sql`
  (select org_id, id, min(recorded_at) as recorded_at
   from unnest(${entries.map((entry) => entry.org_id)}::uuid[], ${entries.map((entry) => entry.subject_id)}::uuid[],
     ${entries.map((entry) => entry.recorded_at)}::timestamptz[]) as entry (org_id, id, recorded_at)
   group by org_id, id) as subject`;

/** A report of a platform image may change which platforms its index lists. */
const ofReported: Concerns = (entries) =>
  runningOf(
    sql`with reported as (
        select artifact.org_id, artifact.fingerprint from ${subjects(entries)}
        join artifact on artifact.org_id = subject.org_id and artifact.id = subject.id)
      select org_id, fingerprint from reported
      union
      select image.org_id, image.index_fingerprint from reported
      join image_platform as image on image.org_id = reported.org_id
        and image.platform_fingerprint = reported.fingerprint`,
    'provenance',
  );

/** The subject of an attestation: its artifact, or the whole trail. */
const ofAttested: Concerns = (entries) =>
  runningOf(
    sql`select attestation.org_id, artifact.fingerprint from ${subjects(entries)}
      join attestation on attestation.org_id = subject.org_id and attestation.id = subject.id
      cross join lateral (
        select attestation.fingerprint where attestation.fingerprint is not null
        union
        select artifact.fingerprint from artifact
        where artifact.org_id = attestation.org_id and artifact.trail_id = attestation.trail_id
          and attestation.fingerprint is null
      ) as artifact`,
    'evidence',
  );

const ofTrail: Concerns = (entries) =>
  runningOf(
    sql`select distinct artifact.org_id, artifact.fingerprint from ${subjects(entries)}
      join artifact on artifact.org_id = subject.org_id and artifact.trail_id = subject.id`,
    'evidence',
  );

/**
 * Started runs: of two concurrent transactions, one that starts an artifact and one that reports it or evidence about
 * it, neither may have seen the other.
 */
const ofRecorded: Concerns = (entries) => sql`
  select running.org_id, running.environment_id, running.fingerprint, 'provenance'::text as cause
  from ${subjects(entries)}
  join snapshot on snapshot.org_id = subject.org_id and snapshot.environment_id = subject.id
    and snapshot.created_at >= subject.recorded_at - interval '1 second' and snapshot.started_count > 0
  join running on running.org_id = snapshot.org_id and running.environment_id = snapshot.environment_id
    and running.from_index = snapshot.index and running.until_index is null and running.fingerprint <> ''`;

const readBy = (prefix: string) => sql`exists (
  select from environment_policy as attached
  join policy on policy.org_id = attached.org_id and policy.id = attached.policy_id
  join policy_version as version on version.org_id = policy.org_id and version.policy_id = policy.id
    and version.version = policy.version
  where attached.org_id = environment.org_id and attached.environment_id = environment.id
    and exists (select from unnest(version.reads) as read where read like ${`${prefix}%`}))`;

/** Beyond this a whole environment is re-evaluated: that costs less than so many rows. */
const ONE_BY_ONE = 20;

/** A name or tag of a flow, if a policy reads it. */
const ofFlow: Concerns = (entries) => sql`
  select org_id, environment_id, 'context'::text as cause, unnest(
    case when count(*) > ${ONE_BY_ONE} then array[${EVERYTHING}::text] else array_agg(fingerprint) end) as fingerprint
  from (
    select distinct running.org_id, running.environment_id, running.fingerprint
    from (${withRelatives(sql`
      select distinct artifact.org_id, artifact.fingerprint from ${subjects(entries)}
      join artifact on artifact.org_id = subject.org_id and artifact.flow_id = subject.id`)}
    ) as artifact
    join running on running.org_id = artifact.org_id and running.fingerprint = artifact.fingerprint
      and running.until_index is null and running.fingerprint <> ''
  ) as concerned
  where exists (select from environment where environment.org_id = concerned.org_id
    and environment.id = concerned.environment_id and environment.archived_at is null and ${readBy('flow.')})
  group by org_id, environment_id`;

/** All environments that the policy is attached to, whatever its version contains. */
const ofPolicy: Concerns = (entries) => sql`
  select attached.org_id, attached.environment_id, ${EVERYTHING}::text as fingerprint, 'policy'::text as cause
  from ${subjects(entries)}
  join environment_policy as attached on attached.org_id = subject.org_id and attached.policy_id = subject.id`;

const ofEnvironment: Concerns = (entries) => sql`
  select environment.org_id, environment.id as environment_id, ${EVERYTHING}::text as fingerprint, 'context'::text as cause
  from ${subjects(entries)}
  join environment on environment.org_id = subject.org_id and environment.id = subject.id
  where ${readBy('environment.')}`;

/** Everything in the org that a policy judges: any statement may have been signed by what is no longer trusted. */
const ofTrust: Concerns = (entries) => sql`
  select distinct attached.org_id, attached.environment_id, ${EVERYTHING}::text as fingerprint, 'evidence'::text as cause
  from unnest(${entries.map((entry) => entry.org_id)}::uuid[]) as subject (org_id)
  join environment_policy as attached on attached.org_id = subject.org_id`;

const concerns = new Map<string, Concerns>([
  ['artifact.reported', ofReported],
  ['attestation.recorded', ofAttested],
  ['attestation.overridden', ofAttested],
  ['attestation.erased', ofAttested],
  ['trail.updated', ofTrail],
  ['snapshot.recorded', ofRecorded],
  ['flow.tagged', ofFlow],
  ['flow.renamed', ofFlow],
  ['environment.tagged', ofEnvironment],
  ['environment.renamed', ofEnvironment],
  ['policy.versioned', ofPolicy],
  ['trust.key_removed', ofTrust],
  ['trust.identity_removed', ofTrust],
]);

/**
 * Queues a re-evaluation when an entry may change the provenance or the verdict of what runs. The re-evaluation itself
 * does not happen here, where other processors wait in line. It is queued only after the cause is committed; otherwise
 * it could run before the cause is visible.
 */
export function reevaluationProcessor(wake: () => void): Processor {
  return {
    // Its position is stored under this name.
    name: 'reevaluations',
    begins: 'at the first entry',
    async apply(db, entries) {
      for (const [find, found] of Map.groupBy(entries, (entry) => concerns.get(entry.type))) {
        if (find) await ask(db, find(found));
      }
    },
    committed(entries) {
      if (entries.some(({ type }) => concerns.has(type))) wake();
    },
  };
}

/** An abandoned re-evaluation is tried again as well: the change may have fixed what it failed on. */
async function ask(db: Db, concerned: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with concerned as materialized (${concerned}), revived as (
      update environment_reevaluation as given_up set requested_at = now(), tries = 0, error = null, given_up_at = null
      from (select distinct org_id, environment_id from concerned) as concerned
      where given_up.org_id = concerned.org_id and given_up.environment_id = concerned.environment_id
        and given_up.given_up_at is not null and not exists (
          select from concerned as again where again.org_id = given_up.org_id
            and again.environment_id = given_up.environment_id and again.fingerprint = given_up.fingerprint
            and again.cause = given_up.cause)
    )
    insert into environment_reevaluation as queued (org_id, environment_id, fingerprint, cause, requested_at)
    select distinct org_id, environment_id, fingerprint, cause, now() from concerned
    order by org_id, environment_id, fingerprint
    ${REQUESTED_AGAIN}`.execute(db);
}
