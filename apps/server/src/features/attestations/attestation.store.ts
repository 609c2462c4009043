import { TRAIL_ATTESTATIONS_MAX } from '@waymark/contract';
import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { openDigest, withReceipt } from '../../platform/journal/open-payload.ts';

const TEMPLATE_NAMES_MAX = 1_000;

export type AttestationRow = Selectable<Tables['attestation']>;

/** The destination of evidence, by the names that were sent. */
export interface Destination {
  readonly org_id: string;
  readonly flow_name: string;
  readonly trail_name: string;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
  readonly commit_sha: string | null;
  readonly evidence_id: string | null;
  /** False when the slot is known to exist: then it is not checked whether the trail is full. */
  readonly is_new_slot: boolean;
}

/** What exists. Ids are null when the flow or the trail does not. */
export interface AttestationPlace {
  readonly flow_id: string | null;
  readonly flow_name: string | null;
  readonly trail_id: string | null;
  readonly trail_receipt: number | null;
  readonly template_id: string | null;
  readonly has_artifact: boolean;
  /** The trail holds so much that it may be full. */
  readonly is_crowded: boolean;
  readonly earlier_id: string | null;
  readonly earlier_digest: Buffer | null;
  readonly earlier_answer: string | null;
}

/** Reports that may be in flight during a count. */
const UNDER_WAY_MAX = 500;
const CROWDED_FROM = TRAIL_ATTESTATIONS_MAX - UNDER_WAY_MAX;

const findPlacesOf = statement<{ sent: string }, AttestationPlace & { place: number }>(
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

/** One place per destination, in order. */
export async function findPlaces(db: Db, destinations: readonly Destination[]): Promise<AttestationPlace[]> {
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

/** The number of other slots in the trail. Null when it has this one already. */
export async function countOtherSlots(db: Db, slot: Slot): Promise<number | null> {
  const [row] = await countOtherSlotsOf(db, slot);
  return row?.others ?? null;
}

/** The template names of the artifact in this trail; more than one if it was reported under several names. */
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
  readonly branch: string | null;
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
  /** Whose credential recorded it, as they were then, canonical JSON. */
  readonly recorder: string | null;
  /** Without its receipt, which is drawn when the row is written. */
  readonly payload: string;
  readonly nonce: string;
  readonly inner_key: string;
  readonly outer_key: string;
}

/**
 * A condition that `report` is a report, with the subject of `override`. An artifact is identified by its fingerprint
 * as well as by the name and commit under which it was reported, whichever of them either used.
 */
function sameSubject(override: string, report: string): string {
  const artifact = `select from artifact
    where artifact.org_id = ${override}.org_id and artifact.trail_id = ${override}.trail_id`;
  return `${report}.overrides_id is null and ${report}.name = ${override}.name
    and ${report}.counts_as = ${override}.counts_as
    and case
      when ${override}.fingerprint is not null then ${report}.fingerprint = ${override}.fingerprint
        or ${report}.fingerprint is null and exists (${artifact} and artifact.fingerprint = ${override}.fingerprint
          and artifact.template_name = ${report}.target_artifact and artifact.commit_sha = ${report}.commit_sha)
      when ${override}.target_artifact is not null then ${report}.fingerprint is null
          and ${report}.target_artifact = ${override}.target_artifact and ${report}.commit_sha = ${override}.commit_sha
        or exists (${artifact} and artifact.fingerprint = ${report}.fingerprint
          and artifact.template_name = ${override}.target_artifact and artifact.commit_sha = ${override}.commit_sha)
      else ${report}.fingerprint is null and ${report}.target_artifact is null
    end`;
}

/** Parts of the recording statement for groups with an override among them. */
interface OverrideParts {
  /** Selects the overrides to refuse. */
  readonly find: string;
  readonly isAccepted: string;
  readonly tell: string;
}

const OVERRIDE_PARTS: OverrideParts = {
  find: `newer as materialized (
     select mine.id, coalesce((
         select other.id from sent as other
         where other.org_id = mine.org_id and other.trail_id = mine.trail_id and other.place < mine.place
           and ${sameSubject('mine', 'other')}
           and not exists (select from evidence_receipt as earlier
             where earlier.org_id = other.org_id and earlier.evidence_id = other.evidence_id)
         order by other.place desc limit 1), (
         select other.id from attestation as other
         where other.org_id = mine.org_id and other.trail_id = mine.trail_id and other.receipt > meant.receipt
           and ${sameSubject('mine', 'other')}
         order by other.receipt desc limit 1)) as newer_id
     from sent as mine join attestation as meant on meant.org_id = mine.org_id and meant.id = mine.overrides_id
   ), refused as materialized (
     select id, newer_id from newer where newer_id is not null
   ),`,
  isAccepted: 'and id not in (select id from refused)',
  tell: 'union all select id, newer_id from refused',
};

const NO_OVERRIDES: OverrideParts = { find: '', isAccepted: '', tell: '' };

/**
 * Records attestations, their journal entries, receipts and commits in one statement, however many. A row whose
 * evidence id is taken, also by another row of this statement, is left out, and its id is not returned. An override is
 * left out when a newer report than the one it names exists, also in an earlier row of this statement. Keys are written
 * in order, so that two statements cannot deadlock. The statement sets its own lock timeout, which holds until its
 * transaction ends: a separate setting would be a second round trip.
 */
function insertingStatement(name: string, { find, isAccepted, tell }: OverrideParts) {
  return statement<{ sent: string; lock_timeout: string | null }, { id: string; newer_id: string | null }>(
    name,
    `with sent as materialized (
     select sent.* from json_to_recordset(:sent::json) as sent (place integer, org_id uuid, id uuid, flow_id uuid,
       trail_id uuid, trail_receipt bigint, name text, type text, counts_as text, is_compliant boolean,
       fingerprint text, target_artifact text, commit_sha text, branch text, overrides_id uuid, type_version integer,
       control text, trust text, content text, verdict text, attachment_sha256 text, attachment_name text,
       attachment_size bigint, repository_id uuid, created_at timestamptz, claimed_at timestamptz, evidence_id uuid,
       request_digest text, answer text, entry_id uuid, entry_type text, entry_version smallint, actor_kind text,
       actor_id uuid, actor_name text, workload text, recorder text, payload text, nonce text,
       inner_key text, outer_key text),
       (select set_config('lock_timeout', coalesce(:lock_timeout::text, current_setting('lock_timeout')), true)) as patience
   ), ${find} taken as (
     insert into evidence_receipt (org_id, evidence_id, subject_id, request_digest, answer, created_at)
     select org_id, evidence_id, id, decode(request_digest, 'hex'), answer, created_at
     from sent where evidence_id is not null ${isAccepted}
     order by org_id, evidence_id, place
     on conflict do nothing
     returning subject_id
   ), recorded as (
     insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint,
       target_artifact, commit_sha, branch, overrides_id, type_version, control, trust, content, verdict,
       attachment_sha256, attachment_name, attachment_size, repository_id, created_at, claimed_at, created_by, workload,
       recorder)
     select org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint, target_artifact,
       commit_sha, branch, overrides_id, type_version, control, trust, content, verdict, attachment_sha256,
       attachment_name, attachment_size, repository_id, created_at, claimed_at, actor_name, workload, recorder
     from sent
     where (evidence_id is null or id in (select subject_id from taken)) ${isAccepted}
     order by place
     returning id, receipt
   ), reported as (
     insert into trail_commit (org_id, commit_sha, trail_receipt, trail_id)
     select distinct org_id, commit_sha, trail_receipt, trail_id from sent join recorded using (id)
     where commit_sha is not null order by org_id, commit_sha, trail_receipt, trail_id
     on conflict do nothing
   ), journaled as (
     insert into journal (org_id, recorded_at, actor_kind, actor_id, actor_name, id, type, version, subject_kind,
       subject_id, subject_seq, payload, nonce, payload_digest)
     select org_id, created_at, actor_kind, actor_id, actor_name, entry_id, entry_type, entry_version,
       'attestation', id, 1, complete.payload, decode(nonce, 'hex'),
       ${openDigest('complete.payload', { innerKey: "decode(inner_key, 'hex')", outerKey: "decode(outer_key, 'hex')" })}
     from sent join recorded using (id)
     cross join lateral (select ${withReceipt('sent.payload', 'recorded.receipt')} as payload) as complete
     order by place
   )
   select id, null::uuid as newer_id from recorded ${tell}`,
  );
}

/** Finding newer reports takes a third of the statement (2026-11), and most groups have no override. */
const insertReports = insertingStatement('insert_attestations', NO_OVERRIDES);
const insertReportsAndOverrides = insertingStatement('insert_attestations_and_overrides', OVERRIDE_PARTS);

/** The outcome of an attestation: `repeated` when its evidence id is taken, `refused` when a newer report exists. */
export type Insertion =
  | { readonly kind: 'recorded' | 'repeated' }
  | { readonly kind: 'refused'; readonly newerId: string };

/** Returns one outcome per attestation, in order. Waits for locks like any statement unless a time is given. */
export async function insertAttestations(
  db: Db,
  attestations: readonly NewAttestation[],
  lockTimeoutMs?: number,
): Promise<Insertion[]> {
  const sent = attestations.map((attestation, place) => ({ ...attestation, place }));
  const lock_timeout = lockTimeoutMs === undefined ? null : String(lockTimeoutMs);
  const insert = attestations.some((attestation) => attestation.overrides_id !== null)
    ? insertReportsAndOverrides
    : insertReports;
  const rows = await insert(db, { sent: JSON.stringify(sent), lock_timeout });
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return attestations.map(({ id }): Insertion => {
    const row = rowOf.get(id);
    if (!row) return { kind: 'repeated' };
    return row.newer_id === null ? { kind: 'recorded' } : { kind: 'refused', newerId: row.newer_id };
  });
}

export async function insertAttestation(db: Db, attestation: NewAttestation): Promise<Insertion> {
  const [insertion] = await insertAttestations(db, [attestation]);
  if (!insertion) throw new Error('an insertion has no outcome');
  return insertion;
}

/** The subject of an override; `attestation_id` when it names the attestation. */
interface Overriding {
  readonly [param: string]: string | null;
  readonly org_id: string;
  readonly trail_id: string;
  readonly name: string;
  readonly counts_as: string;
  readonly fingerprint: string | null;
  readonly target_artifact: string | null;
  readonly commit_sha: string | null;
  readonly attestation_id: string | null;
}

interface Overridable {
  readonly id: string;
  readonly created_at: Date;
}

const findOverridableOf = statement<Overriding, Overridable>(
  'find_overridable',
  `select other.id, other.created_at
   from (select :org_id::uuid as org_id, :trail_id::uuid as trail_id, :name::text as name,
     :counts_as::text as counts_as, :fingerprint::text as fingerprint, :target_artifact::text as target_artifact,
     :commit_sha::text as commit_sha) as mine
   join attestation as other on other.org_id = mine.org_id and other.trail_id = mine.trail_id
   where other.org_id = :org_id and ${sameSubject('mine', 'other')}
     and (:attestation_id::uuid is null or other.id = (
       select coalesce(named.overrides_id, named.id) from attestation as named
       where named.org_id = :org_id and named.id = :attestation_id::uuid))
   order by other.receipt desc limit 1`,
);

/** Finds the report that an override of this name, type and target replaces: the named one, else the newest. */
export async function findOverridable(db: Db, overriding: Overriding): Promise<Overridable | undefined> {
  const [row] = await findOverridableOf(db, overriding);
  return row;
}
