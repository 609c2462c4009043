import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Tables } from '../../platform/db/tables.ts';

export type AttestationRow = Selectable<Tables['attestation']>;

/** Where evidence is to go, by the names that were sent. */
export interface Destination {
  readonly org_id: string;
  readonly flow_name: string;
  readonly trail_name: string;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
  readonly commit_sha: string | null;
  readonly evidence_id: string | null;
  /** As far as is known: not asked whether the trail has room for it otherwise. */
  readonly is_new_slot: boolean;
}

/** What is there. Ids are null when the flow or the trail is not. */
export interface Place {
  readonly flow_id: string | null;
  readonly flow_name: string | null;
  readonly trail_id: string | null;
  readonly trail_receipt: number | null;
  readonly template_id: string | null;
  readonly has_artifact: boolean;
  /** So much is in the trail that it may be full. */
  readonly is_crowded: boolean;
  readonly earlier_id: string | null;
  readonly earlier_digest: Buffer | null;
  readonly earlier_answer: string | null;
}

/** Reports that may be under way while somebody counts. */
const UNDER_WAY_MAX = 500;
const CROWDED_FROM = TRAIL_ATTESTATIONS_MAX - UNDER_WAY_MAX;

const findPlacesOf = statement<{ sent: string }, Place & { place: number }>(
  'find_places',
  `select sent.place, coalesce(flow.id, alias.flow_id) as flow_id, coalesce(flow.name, renamed.name) as flow_name,
     trail.id as trail_id, trail.receipt as trail_receipt, trail.template_id,
     case
       when trail.id is null then false
       when sent.fingerprint is not null then exists (
         select from artifact where artifact.org_id = sent.org_id and artifact.trail_id = trail.id
           and artifact.fingerprint = sent.fingerprint)
       when sent.target_artifact is not null then exists (
         select from artifact where artifact.org_id = sent.org_id and artifact.trail_id = trail.id
           and artifact.template_name = sent.target_artifact and artifact.commit_sha = sent.commit_sha)
       else false
     end as has_artifact,
     sent.is_new_slot and trail.id is not null and exists (
       select from attestation where attestation.org_id = sent.org_id and attestation.trail_id = trail.id
       order by receipt offset ${CROWDED_FROM - 1} limit 1) as is_crowded,
     earlier.subject_id as earlier_id, earlier.request_digest as earlier_digest, earlier.answer as earlier_answer
   from json_to_recordset(:sent::json) as sent (place integer, org_id uuid, flow_name text, trail_name text,
     fingerprint text, target_artifact text, commit_sha text, evidence_id uuid, is_new_slot boolean)
   left join flow on flow.org_id = sent.org_id and flow.name = sent.flow_name and flow.archived_at is null
   left join flow_alias as alias
     on flow.id is null and alias.org_id = sent.org_id and alias.name = sent.flow_name
   left join flow as renamed on renamed.org_id = alias.org_id and renamed.id = alias.flow_id
   left join trail on trail.org_id = sent.org_id and trail.flow_id = coalesce(flow.id, alias.flow_id)
     and trail.name = sent.trail_name
   left join evidence_receipt as earlier
     on earlier.org_id = sent.org_id and earlier.evidence_id = sent.evidence_id`,
);

/** One place for each destination, in order. */
export async function findPlaces(db: Db, destinations: readonly Destination[]): Promise<Place[]> {
  const sent = destinations.map((destination, place) => ({ ...destination, place }));
  const rows = await findPlacesOf(db, { sent: JSON.stringify(sent) });
  const found = new Map(rows.map((row) => [row.place, row]));
  return sent.map(({ place }) => {
    const row = found.get(place);
    if (!row) throw new Error('a destination was not looked up');
    return row;
  });
}

interface Slot {
  readonly [param: string]: string | null;
  readonly org_id: string;
  readonly trail_id: string;
  readonly name: string;
  readonly counts_as: string;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
  readonly commit_sha: string | null;
}

const countOtherSlotsOf = statement<Slot, { others: number | null }>(
  'count_other_slots',
  `select case when not exists (
       select from attestation where org_id = :org_id::uuid and trail_id = :trail_id::uuid and overrides_id is null
         and name = :name and counts_as = :counts_as and fingerprint is not distinct from :fingerprint::text
         and target_artifact is not distinct from :target_artifact::text
         and commit_sha is not distinct from :commit_sha::text)
     then (
       select count(*)::integer from (
         select distinct name, counts_as, fingerprint, target_artifact, commit_sha from attestation
         where org_id = :org_id::uuid and trail_id = :trail_id::uuid and overrides_id is null) as slots)
     end as others`,
);

/** How many slots a trail has besides this one. Null when it has this one already. */
export async function countOtherSlots(db: Db, slot: Slot): Promise<number | null> {
  const [row] = await countOtherSlotsOf(db, slot);
  return row?.others ?? null;
}

/** What the template calls the artifact in this trail; more than one if it was reported under several names. */
export async function listTemplateNames(db: Db, org: string, trailId: string, fingerprint: string): Promise<string[]> {
  const rows = await db
    .selectFrom('artifact')
    .select('template_name')
    .distinct()
    .where('org_id', '=', org)
    .where('trail_id', '=', trailId)
    .where('fingerprint', '=', fingerprint)
    .limit(TEMPLATE_NAMES_MAX)
    .execute();
  return rows.flatMap(({ template_name: name }) => name ?? []);
}

/** An attestation as it is written, with its journal entry and the receipt of its evidence id. */
export interface NewAttestation {
  readonly org_id: string;
  readonly id: string;
  readonly flow_id: string;
  readonly trail_id: string;
  readonly trail_receipt: number;
  readonly name: string;
  readonly type: string;
  readonly counts_as: string;
  readonly is_compliant: boolean;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
  readonly commit_sha: string | null;
  readonly overrides_id: string | null;
  readonly type_version: number | null;
  readonly control: string | null;
  readonly trust: AttestationRow['trust'];
  readonly content: string;
  readonly verdict: string;
  readonly attachment_sha256: string | null;
  readonly attachment_name: string | null;
  readonly attachment_size: number | null;
  readonly repository_id: string | null;
  readonly created_at: Date;
  readonly claimed_at: Date | null;
  readonly evidence_id: string | null;
  readonly request_digest: string | null;
  readonly answer: string | null;
  readonly entry_id: string;
  readonly entry_type: string;
  readonly entry_version: number;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string;
  readonly workload: string | null;
  readonly payload: string;
  readonly nonce: string;
  readonly payload_digest: string;
}

/**
 * Attestations, their journal entries, receipts and commits in one statement, however many. A row whose evidence id is
 * taken, also by another row of this statement, is left out, and its id does not come back. Keys are written in
 * their order, so that two statements never wait for each other crosswise.
 */
const insertAttestationsOf = statement<{ sent: string }, { id: string }>(
  'insert_attestations',
  `with sent as materialized (
     select * from json_to_recordset(:sent::json) as sent (place integer, org_id uuid, id uuid, flow_id uuid,
       trail_id uuid, trail_receipt bigint, name text, type text, counts_as text, is_compliant boolean,
       fingerprint text, target_artifact text, commit_sha text, overrides_id uuid, type_version integer, control text,
       trust text, content text, verdict text, attachment_sha256 text, attachment_name text, attachment_size bigint,
       repository_id uuid, created_at timestamptz, claimed_at timestamptz, evidence_id uuid, request_digest text,
       answer text, entry_id uuid, entry_type text, actor_kind text, actor_id uuid, actor_name text, workload text,
       payload text, nonce text, payload_digest text)
   ), taken as (
     insert into evidence_receipt (org_id, evidence_id, subject_id, request_digest, answer, created_at)
     select org_id, evidence_id, id, decode(request_digest, 'hex'), answer, created_at
     from sent where evidence_id is not null order by org_id, evidence_id, place
     on conflict do nothing
     returning subject_id
   ), recorded as (
     insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint,
       target_artifact, commit_sha, overrides_id, type_version, control, trust, content, verdict, attachment_sha256,
       attachment_name, attachment_size, repository_id, created_at, claimed_at, created_by, workload)
     select org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint, target_artifact,
       commit_sha, overrides_id, type_version, control, trust, content, verdict, attachment_sha256, attachment_name,
       attachment_size, repository_id, created_at, claimed_at, actor_name, workload
     from sent where evidence_id is null or id in (select subject_id from taken) order by place
     returning id
   ), reported as (
     insert into trail_commit (org_id, commit_sha, trail_receipt, trail_id)
     select distinct org_id, commit_sha, trail_receipt, trail_id from sent join recorded using (id)
     where commit_sha is not null order by org_id, commit_sha, trail_receipt, trail_id
     on conflict do nothing
   ), journaled as (
     insert into journal (org_id, recorded_at, actor_kind, actor_id, actor_name, id, type, version, subject_kind,
       subject_id, subject_seq, payload, nonce, payload_digest)
     select org_id, created_at, actor_kind, actor_id, actor_name, entry_id, entry_type, 2, 'attestation', id, 1,
       payload, decode(nonce, 'hex'), decode(payload_digest, 'hex')
     from sent join recorded using (id) order by place
   )
   select id from recorded`,
);

/** For each attestation, in order, whether it was recorded; if not, its evidence id is taken. */
export async function insertAttestations(db: Db, attestations: readonly NewAttestation[]): Promise<boolean[]> {
  const sent = attestations.map((attestation, place) => ({ ...attestation, place }));
  const rows = await insertAttestationsOf(db, { sent: JSON.stringify(sent) });
  const recorded = new Set(rows.map((row) => row.id));
  return attestations.map(({ id }) => recorded.has(id));
}

/**
 * The newest report that an override of this name, type and target replaces. An artifact is meant by its fingerprint
 * as well as by the name and commit under which it was reported, whichever of them the report used.
 */
export async function findOverridable(
  db: Db,
  org: string,
  trailId: string,
  about: { name: string; countsAs: string } & Pick<Destination, 'fingerprint' | 'target_artifact' | 'commit_sha'>,
): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string; overrides_id: string | null }>`
    select id, overrides_id from attestation
    where org_id = ${org} and trail_id = ${trailId} and name = ${about.name} and counts_as = ${about.countsAs}
      and ${sameTarget(org, trailId, about)}
    order by receipt desc limit 1`.execute(db);
  const [newest] = rows;
  // The verdict replaced is always that of a report: an override of an override replaces the same one.
  return newest && { id: newest.overrides_id ?? newest.id };
}

function sameTarget(
  org: string,
  trailId: string,
  {
    fingerprint,
    target_artifact: target,
    commit_sha: commit,
  }: Pick<Destination, 'fingerprint' | 'target_artifact' | 'commit_sha'>,
) {
  const reports = sql`select 1 from artifact where artifact.org_id = ${org} and artifact.trail_id = ${trailId}`;
  if (fingerprint) {
    return sql`(fingerprint = ${fingerprint} or fingerprint is null and exists (
      ${reports} and artifact.fingerprint = ${fingerprint}
        and artifact.template_name = attestation.target_artifact and artifact.commit_sha = attestation.commit_sha))`;
  }
  if (target) {
    return sql`(fingerprint is null and target_artifact = ${target} and commit_sha = ${commit} or exists (
      ${reports} and artifact.fingerprint = attestation.fingerprint
        and artifact.template_name = ${target} and artifact.commit_sha = ${commit}))`;
  }
  return sql`fingerprint is null and target_artifact is null`;
}

export interface NewComponent {
  readonly name: string;
  readonly version: string;
  readonly purl: string | null;
}

const insertComponentsOf = statement<{ org_id: string; attestation_id: string; sent: string }, never>(
  'insert_components',
  `insert into component (org_id, attestation_id, position, name, version, purl)
   select :org_id::uuid, :attestation_id::uuid, position, name, version, purl
   from json_to_recordset(:sent::json) as sent (position integer, name text, version text, purl text)`,
);

export async function insertComponents(
  db: Db,
  org: string,
  attestationId: string,
  components: readonly NewComponent[],
): Promise<void> {
  const sent = components.map((component, position) => ({ ...component, position }));
  await insertComponentsOf(db, { org_id: org, attestation_id: attestationId, sent: JSON.stringify(sent) });
}

/** Of an attestation that turned out to be recorded already. */
export async function deleteComponents(db: Db, org: string, attestationId: string): Promise<void> {
  await db.deleteFrom('component').where('org_id', '=', org).where('attestation_id', '=', attestationId).execute();
}
