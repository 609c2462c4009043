import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { type BoundVerdict, verdictsDigest } from '../../snapshots/record/verdicts-digest.reads.ts';
import { type OnDifference, shown } from '../difference.ts';

interface Run {
  readonly name: string;
  readonly fingerprint: string;
  readonly instances: number;
  readonly compliance?: string;
}

interface Payload {
  readonly index: number;
  readonly trigger: string;
  readonly compliance: { readonly now: string };
  readonly policies: readonly { readonly name: string; readonly version: number }[];
  readonly started: readonly Run[];
  readonly exited: readonly Run[];
  readonly resized: readonly { readonly name: string; readonly fingerprint: string; readonly now: number }[];
  readonly provenance_changed: readonly {
    readonly name: string;
    readonly fingerprint: string;
    readonly artifact_ids: readonly string[];
  }[];
  readonly judged: readonly { readonly name: string; readonly fingerprint: string; readonly now: string }[];
  /** The rest is in entries since version 3. */
  readonly counts?: Readonly<Record<'artifacts' | 'compliant' | 'non_compliant' | 'events', number>>;
  readonly policy_set_id?: string | null;
  readonly verdicts_sha256?: string;
}

export interface SnapshotEntry {
  readonly ledgerIndex: number;
  readonly environment: string;
  readonly at: Date;
  readonly actorName: string;
  readonly payload: Payload;
}

interface Stored {
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  readonly started: readonly StoredRun[] | null;
  readonly exited: readonly StoredRun[] | null;
  readonly verdicts: readonly StoredVerdict[] | null;
  readonly policies: string | null;
}

interface StoredRun {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly started_with: number;
}

interface StoredVerdict extends BoundVerdict {
  readonly name: string;
  readonly fingerprint: string;
  readonly decisions: readonly { readonly policy: string; readonly version: number; readonly status: string }[] | null;
  readonly decision_count: number;
  readonly evidence_fingerprint: string | null;
  readonly has_waiver: boolean;
}

/** What is stored about one snapshot: its row, and the rows that begin or end with it. */
async function readSnapshot(db: Db, org: string, environment: string, index: number): Promise<Stored> {
  const { rows } = await sql<Stored>`
    select
      (select to_jsonb(snapshot) from snapshot
       where org_id = ${org} and environment_id = ${environment} and index = ${index}) as snapshot,
      (select jsonb_agg(to_jsonb(running) order by no) from running
       where org_id = ${org} and environment_id = ${environment} and from_index = ${index}) as started,
      (select jsonb_agg(to_jsonb(running) order by no) from running
       where org_id = ${org} and environment_id = ${environment} and until_index = ${index}) as exited,
      (select policy_set.content from snapshot join policy_set on policy_set.org_id = snapshot.org_id
         and policy_set.id = snapshot.policy_set_id
       where snapshot.org_id = ${org} and environment_id = ${environment} and index = ${index}) as policies,
      (select jsonb_agg(to_jsonb(verdict) || jsonb_build_object('name', running.name, 'fingerprint', running.fingerprint,
         'decision_count', cardinality(verdict.decision_ids),
         'evidence_fingerprint', (select readable_json(content) ->> 'fingerprint' from evidence_state
           where org_id = ${org} and id = verdict.evidence_id),
         'has_waiver', exists (select from waiver where org_id = ${org} and id = verdict.waiver_id
           and waiver.environment_id = verdict.environment_id and waiver.fingerprint = running.fingerprint),
         'decisions', (select jsonb_agg(jsonb_build_object('policy', policy.name, 'version', decision.policy_version,
             'status', decision.status) order by place)
           from unnest(verdict.decision_ids) with ordinality as decided (id, place)
           join decision on decision.org_id = ${org} and decision.id = decided.id
             and decision.evidence_id = verdict.evidence_id
           join policy on policy.org_id = ${org} and policy.id = decision.policy_id))
         order by verdict.no)
       from running_verdict as verdict
       join running on running.org_id = verdict.org_id and running.environment_id = verdict.environment_id
         and running.no = verdict.no
       where verdict.org_id = ${org} and verdict.environment_id = ${environment} and verdict.from_index = ${index}
         and running.org_id = ${org}) as verdicts`.execute(db);
  return rows[0] ?? { snapshot: null, started: null, exited: null, verdicts: null, policies: null };
}

/** Compares a snapshot with its entries, of which there are several if it has many changes. */
export async function compareSnapshot(
  db: Db,
  org: string,
  parts: readonly SnapshotEntry[],
  onDifference: OnDifference,
): Promise<void> {
  const [first] = parts;
  if (!first) return;
  const { environment, ledgerIndex, payload, at, actorName } = first;
  const all = <Item>(of: (payload: Payload) => readonly Item[]) => parts.flatMap((part) => of(part.payload));
  const stored = await readSnapshot(db, org, environment, payload.index);
  const row = `${environment} ${payload.index}`;
  const report = (table: string, column: string | null, says: string, key = row) =>
    onDifference({ org, table, row: key, column, index: ledgerIndex, says });
  const { snapshot } = stored;
  if (!snapshot) {
    report('snapshot', null, `is missing, but entry ${ledgerIndex} (snapshot.recorded) records it`);
    return;
  }
  const expected: Record<string, unknown> = {
    trigger: payload.trigger,
    compliance: payload.compliance.now,
    created_by: actorName,
    started_count: all(({ started }) => started).length,
    ...boundColumns(payload),
  };
  for (const [column, value] of Object.entries(expected))
    if (snapshot[column] !== value)
      report('snapshot', column, `is ${shown(snapshot[column])}, but entry ${ledgerIndex} records ${shown(value)}`);
  if (Math.abs(Date.parse(String(snapshot['created_at'])) - at.getTime()) > 1_000)
    report(
      'snapshot',
      'created_at',
      `is ${snapshot['created_at']}, but entry ${ledgerIndex} is of ${at.toISOString()}`,
    );
  const compareLists = (table: string, what: string, found: readonly string[], recorded: readonly string[]) => {
    const [some, others] = [[...found].sort(), [...recorded].sort()];
    if (some.join('\n') !== others.join('\n'))
      report(table, null, `${what} are ${shown(some)}, but entry ${ledgerIndex} records ${shown(others)}`);
  };
  const runOf = ({ fingerprint, name }: Pick<StoredRun, 'name' | 'fingerprint'>) => `${fingerprint} ${name}`;
  compareLists(
    'running',
    'started artifacts',
    (stored.started ?? []).map(runOf),
    all(({ started }) => started).map(runOf),
  );
  compareLists('running', 'exited artifacts', (stored.exited ?? []).map(runOf), all(({ exited }) => exited).map(runOf));
  const judged = [
    ...all(({ started }) => started).map((run) => `${runOf(run)} ${run.compliance}`),
    ...all((part) => part.judged).map((run) => `${runOf(run)} ${run.now}`),
  ];
  const verdicts = stored.verdicts ?? [];
  const changed = verdicts.filter(({ cause }) => cause === 'started' || cause === 'verdict');
  const others = verdicts.filter(({ cause }) => cause !== 'started' && cause !== 'verdict').map(verdictOf);
  const unchanged = judged.filter((verdict) => others.includes(verdict));
  compareLists(
    'running_verdict',
    'verdicts',
    changed.map(verdictOf),
    judged.filter((verdict) => !unchanged.includes(verdict)),
  );
  const provenance = all((part) => part.provenance_changed);
  for (const change of provenance) {
    const found = verdicts.find((verdict) => runOf(verdict) === runOf(change));
    if (found?.artifact_ids.join() !== change.artifact_ids.join())
      report('running_verdict', 'artifact_ids', `differ from those in entry ${ledgerIndex}`);
  }
  comparePolicies(stored, payload, report);
  compareStarts(
    stored,
    all(({ started }) => started),
    report,
  );
  if (payload.verdicts_sha256 !== undefined && verdictsDigest(verdicts) !== payload.verdicts_sha256)
    report('running_verdict', null, `do not have the digest in entry ${ledgerIndex}`);
  for (const verdict of verdicts) compareVerdict(verdict, environment, report);
}

function boundColumns({ counts, policy_set_id }: Payload): Readonly<Record<string, unknown>> {
  if (!counts) return {};
  return {
    policy_set_id,
    artifact_count: counts.artifacts,
    compliant_count: counts.compliant,
    non_compliant_count: counts.non_compliant,
    event_total: counts.events,
  };
}

/** Of the same artifact under the same name, one run starts in a snapshot. */
function compareStarts({ started }: Stored, recorded: readonly Run[], report: Report): void {
  for (const { no, name, fingerprint, started_with } of started ?? []) {
    const found = recorded.find((run) => run.name === name && run.fingerprint === fingerprint);
    if (!found || found.instances === started_with) continue;
    report('running', 'started_with', `of run ${no} is ${started_with}, but the entry records ${found.instances}`);
  }
}

function verdictOf({ fingerprint, name, compliance }: StoredVerdict): string {
  return `${fingerprint} ${name} ${compliance}`;
}

type Report = (table: string, column: string | null, says: string, row?: string) => void;

function comparePolicies({ policies, snapshot }: Stored, payload: Payload, report: Report): void {
  const shownPolicies = policiesIn(policies);
  const recorded = payload.policies.map(({ name, version }) => `${name}@${version}`).sort();
  if (shownPolicies.join() === recorded.join()) return;
  const says = `is ${shown(snapshot?.['policy_set_id'])}, of ${shown(shownPolicies)}, but the entry records ${shown(recorded)}`;
  report('snapshot', 'policy_set_id', says);
}

function policiesIn(content: string | null): string[] {
  if (content === null) return [];
  try {
    const list = JSON.parse(content) as {
      name?: string;
      policy_name?: string;
      version?: number;
      policy_version?: number;
    }[];
    return list.map((one) => `${one.name ?? one.policy_name}@${one.version ?? one.policy_version}`).sort();
  } catch {
    return ['unreadable'];
  }
}

/** A verdict follows from its decisions, each about the same evidence, and from its waiver. */
function compareVerdict(verdict: StoredVerdict, environment: string, report: Report): void {
  const row = `${environment} ${verdict.no} ${(verdict as unknown as { from_index: number }).from_index}`;
  const decisions = verdict.decisions ?? [];
  if (decisions.length !== verdict.decision_count)
    report('running_verdict', 'decision_ids', 'name decisions that do not exist, or are about other evidence', row);
  const fails = decisions.some(({ status }) => status !== 'COMPLIANT');
  if (verdict.compliance === 'compliant' && fails)
    report('running_verdict', 'compliance', 'is compliant, but a decision is not', row);
  if (verdict.compliance === 'non-compliant' && decisions.length > 0 && !fails)
    report('running_verdict', 'compliance', 'is non-compliant, but all decisions are compliant', row);
  if (verdict.compliance === 'waived' && !verdict.has_waiver)
    report('running_verdict', 'waiver_id', 'is not a waiver for the artifact in the environment', row);
  if (verdict.evidence_fingerprint !== null && verdict.evidence_fingerprint !== verdict.fingerprint)
    report('running_verdict', 'evidence_id', 'is evidence about another artifact', row);
}
