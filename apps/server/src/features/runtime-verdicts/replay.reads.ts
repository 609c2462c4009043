import {
  type DecisionContext,
  decide,
  type Judged,
  type NeededReading,
  POLICY_ENGINE,
  type Policy,
  type Readings,
  readEvidence,
  readingsFor,
} from '@waymark/policy';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { contentId } from '../../platform/ids.ts';
import { readOrgNames } from '../orgs/org.reads.ts';
import { parseCached } from '../policies/parsed-policy.reads.ts';
import { withReadings } from '../readings/reading.reads.ts';
import { shownOf } from './store-decisions.service.ts';

export interface ReplayOptions {
  /** The id of an org; all unless given. */
  readonly org?: string;
  /** A random sample of this size; all unless given. */
  readonly sample?: number;
  /** Only decisions made then or later. */
  readonly since?: Date;
  /** Called for each difference as it is found. */
  readonly onDifference?: (difference: Difference) => void;
}

/** A decision whose replay differs from what is stored. */
export interface Difference {
  /** By name. */
  readonly org: string;
  /** By name, or by id when the policy no longer exists. */
  readonly policy: string;
  readonly policyVersion: number;
  readonly decision: string;
  /** The differing members, or `inputs` when an input is gone or unreadable. */
  readonly what: 'inputs' | 'id' | 'status' | 'shown' | 'reasons';
  readonly stored: string;
  readonly replayed: string;
}

export interface Replay {
  readonly replayed: number;
  readonly differences: number;
  /** Made by another version of the engine, so that this one cannot replay them. */
  readonly otherEngines: number;
}

interface StoredDecision {
  readonly org_id: string;
  readonly org_name: string;
  readonly id: string;
  readonly policy_id: string;
  readonly policy_version: number;
  readonly policy_name: string | null;
  readonly policy_yaml: string | null;
  readonly evidence_id: string;
  readonly content: string | null;
  readonly context: string;
  readonly engine: string;
  readonly status: string;
  readonly shown: string;
  readonly reasons: string;
}

const BATCH_SIZE = 500;

/** Makes stored decisions again from their stored inputs. They must be the same, byte for byte. */
export async function replayDecisions(db: Db, options: ReplayOptions = {}): Promise<Replay> {
  let [replayed, differences, otherEngines] = [0, 0, 0];
  for await (const batch of batchesOf(db, options)) {
    const ours = batch.filter(({ engine }) => engine === POLICY_ENGINE);
    otherEngines += batch.length - ours.length;
    replayed += ours.length;
    for (const [org, decisions] of Map.groupBy(ours, ({ org_id }) => org_id)) {
      const found = await withReadings({ db, org }, decisions, neededBy, async (some, readings) =>
        some.flatMap((decision) => differencesOf(decision, readings)),
      );
      differences += found.length;
      for (const difference of found) options.onDifference?.(difference);
    }
  }
  return { replayed, differences, otherEngines };
}

/** Empty where the inputs cannot be read, which is a difference. */
function neededBy({ policy_yaml: text, content }: StoredDecision): readonly NeededReading[] {
  if (text === null || content === null) return [];
  const policy = policyOrNull(text);
  return policy?.asksForReadings ? readingsFor(policy, readEvidence(content)) : [];
}

function policyOrNull(text: string): Policy | null {
  try {
    return parseCached(text);
  } catch {
    return null;
  }
}

function differencesOf(stored: StoredDecision, readings: Readings): Difference[] {
  const named = {
    org: stored.org_name,
    policy: stored.policy_name ?? stored.policy_id,
    policyVersion: stored.policy_version,
    decision: stored.id,
  };
  const made = replay(stored, readings);
  if (typeof made === 'string') return [{ ...named, what: 'inputs', stored: '', replayed: made }];
  const compared = ['id', 'status', 'shown', 'reasons'] as const;
  return compared
    .filter((what) => made[what] !== stored[what])
    .map((what) => ({ ...named, what, stored: stored[what], replayed: made[what] }));
}

type Made = Pick<StoredDecision, 'id' | 'status' | 'shown' | 'reasons'>;

/** The decision as stored, or the reason why it cannot be made. */
function replay(stored: StoredDecision, readings: Readings): Made | string {
  const { policy_name: name, policy_version: version, policy_yaml: text, content } = stored;
  if (name === null || text === null) return 'The version of the policy is missing';
  if (content === null) return 'The state of the evidence is missing';
  try {
    const context = { ...contextOf(stored.context), readings };
    const judged = decide(parseCached(text), { name, version }, readEvidence(content), context);
    return toMade(stored, name, contentId(content), judged);
  } catch (error) {
    return String(error);
  }
}

function toMade(stored: StoredDecision, policyName: string, evidenceId: string, judged: Judged): Made {
  const { policy_id: policyId, policy_version: policyVersion, engine, context } = stored;
  const { status } = judged;
  const id = contentId([policyId, policyVersion, evidenceId, engine, context].join(' '));
  return { id, status, shown: shownOf({ policyName, policyVersion, judged }), reasons: JSON.stringify(judged.reasons) };
}

/** What the policy does not read is left out, and makes no difference. */
function contextOf(text: string): DecisionContext {
  const { artifact, at, environment } = JSON.parse(text) as {
    artifact: string | null;
    at?: number;
    environment: { name: string | null; tags: Record<string, string> } | null;
  };
  return {
    artifactName: artifact ?? '',
    environment: environment && { name: environment.name ?? '', tags: environment.tags },
    ...(at !== undefined && { at }),
  };
}

/** Pages by primary key, so that only one batch is in memory. */
async function* batchesOf(db: Db, options: ReplayOptions): AsyncGenerator<StoredDecision[]> {
  if (options.sample !== undefined) {
    const ids = await listSample(db, options, options.sample);
    for (let i = 0; i < ids.length; i += BATCH_SIZE) yield await listDecisions(db, ids.slice(i, i + BATCH_SIZE));
    return;
  }
  let last: DecisionId | undefined;
  do {
    const ids = await listIds(db, options, last);
    last = ids.length < BATCH_SIZE ? undefined : ids.at(-1);
    if (ids.length > 0) yield await listDecisions(db, ids);
  } while (last);
}

interface DecisionId {
  readonly org_id: string;
  readonly id: string;
}

const NOTHING = '00000000-0000-0000-0000-000000000000';

function isAsked({ org, since }: ReplayOptions) {
  return sql`(${org ?? null}::uuid is null or org_id = ${org ?? null}::uuid) and created_at >= ${since ?? '-infinity'}::timestamptz`;
}

async function listIds(db: Db, options: ReplayOptions, after: DecisionId | undefined): Promise<DecisionId[]> {
  const { rows } = await sql<DecisionId>`
    select org_id, id from decision
    where (org_id, id) > (${after?.org_id ?? options.org ?? NOTHING}::uuid, ${after?.id ?? NOTHING}::uuid)
      and ${isAsked(options)}
    order by org_id, id limit ${BATCH_SIZE}`.execute(db);
  return rows;
}

async function listSample(db: Db, options: ReplayOptions, size: number): Promise<DecisionId[]> {
  const { rows } = await sql<DecisionId>`
    select org_id, id from decision where ${isAsked(options)} order by random() limit ${size}`.execute(db);
  return rows;
}

async function listDecisions(db: Db, ids: readonly DecisionId[]): Promise<StoredDecision[]> {
  const { rows } = await sql<Omit<StoredDecision, 'org_name'> & DecisionId>`
    select decision.*, policy.name as policy_name, policy_version.policy_yaml, state.content
    from unnest(${ids.map(({ org_id }) => org_id)}::uuid[], ${ids.map(({ id }) => id)}::uuid[]) as asked (org_id, id)
    join decision on decision.org_id = asked.org_id and decision.id = asked.id
    left join policy on policy.org_id = decision.org_id and policy.id = decision.policy_id
    left join policy_version on policy_version.org_id = decision.org_id
      and policy_version.policy_id = decision.policy_id
      and policy_version.version = decision.policy_version
    left join evidence_state as state on state.org_id = decision.org_id and state.id = decision.evidence_id`.execute(
    db,
  );
  const nameOf = await readOrgNames(
    db,
    rows.map(({ org_id }) => org_id),
  );
  return rows.map((row) => ({ ...row, org_name: nameOf(row.org_id) }));
}
