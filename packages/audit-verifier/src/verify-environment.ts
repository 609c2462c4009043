import { compareRecord } from './compare.ts';
import { type EnvironmentFacts, environmentOf, isActive } from './environment/environment-facts.ts';
import { replaySnapshots, runKey, type SnapshotFacts } from './environment/replay-snapshots.ts';
import { type DecisionFacts, verifyDecisions } from './environment/verify-decisions.ts';
import { isSame, type Json, objectOf, textOf } from './json.ts';
import type { PackagedRecord } from './package-records.ts';
import type { Verifying } from './verify-evidence.ts';

const ENVIRONMENT = 'records/environment.json';
const NOT_PROVEN = 'not every journal entry of the environment is in the package';

/** Verifies what ran in an environment in a period, and makes the decisions about it again. */
export function verifyEnvironment(verifying: Verifying): void {
  const { records, ledger, outcome, subject } = verifying;
  const decisions = verifyDecisions(verifying);
  const record = records.one(ENVIRONMENT);
  if (!record) outcome.findings.add(ENVIRONMENT, 'is missing');
  const entries = ledger.of('environment', textOf(record?.value['id']));
  const environment = environmentOf(entries);
  if (!record || !environment) {
    for (const { path } of [...records.in('snapshots'), ...records.in('waivers')])
      outcome.unproven.set(path, NOT_PROVEN);
    outcome.unproven.set(ENVIRONMENT, NOT_PROVEN);
    return;
  }
  if (environment.name !== subject.environment)
    outcome.findings.add(ENVIRONMENT, `is ${environment.name}, not ${subject.environment}`);
  const snapshots = replaySnapshots(entries);
  const inPeriod = periodOf(verifying, record, environment, snapshots);
  verifyWaivers(verifying, environment);
  for (const facts of inPeriod) {
    const snapshot = records.one(`records/snapshots/${facts.index}.json`);
    if (!snapshot)
      outcome.findings.add(
        `records/snapshots/${facts.index}.json`,
        'is missing: entries in the package prove that it was recorded',
      );
    else verifySnapshot(verifying, snapshot, facts, { environment, decisions, isFirst: facts === inPeriod[0] });
  }
  const names = new Set(inPeriod.map(({ index }) => `records/snapshots/${index}.json`));
  for (const { path } of records.in('snapshots'))
    if (!names.has(path)) outcome.unproven.set(path, 'no journal entries in the package prove it');
  outcome.recomputed.push(...inWords(environment, inPeriod));
  outcome.asides.set(
    'records/snapshots, artifact_ids',
    'which reports of an artifact were known then is not in the ledger',
  );
}

/** Returns the snapshots that were the latest at some time in the period. */
function periodOf(
  { subject, outcome, read }: Verifying,
  { value }: PackagedRecord,
  environment: EnvironmentFacts,
  snapshots: ReadonlyMap<number, SnapshotFacts>,
): SnapshotFacts[] {
  const about = objectOf(read.manifest?.['subject']);
  const [from, to] = [Number(about['from']), Number(about['to'])];
  const all = [...snapshots.values()];
  const last = all.findLast(({ at }) => at <= to);
  const first = last && (all.findLast(({ at }) => at <= from) ?? all[0]);
  const expected = {
    id: environment.id,
    org: subject.org,
    name: environment.name,
    type: environment.type,
    ...{ from, to, first_snapshot: first?.index ?? null, last_snapshot: last?.index ?? null },
  };
  compareRecord(ENVIRONMENT, value, expected, outcome.findings);
  outcome.proven.add(ENVIRONMENT);
  return first && last ? all.filter(({ index }) => index >= first.index && index <= last.index) : [];
}

function verifyWaivers({ records, outcome }: Verifying, { waivers }: EnvironmentFacts): void {
  for (const { path, value } of records.in('waivers')) {
    const waiver = waivers.get(textOf(value['id']));
    if (path !== `records/waivers/${value['id']}.json`) outcome.findings.add(path, 'is about another waiver');
    if (!waiver) {
      outcome.findings.add(path, 'was not recorded: no entry of the environment grants it');
      continue;
    }
    compareRecord(path, value, { ...waiver }, outcome.findings);
    outcome.proven.add(path);
  }
}

interface Around {
  readonly environment: EnvironmentFacts;
  readonly decisions: ReadonlyMap<string, DecisionFacts>;
  readonly isFirst: boolean;
}

function verifySnapshot(
  { subject, outcome }: Verifying,
  { path, value }: PackagedRecord,
  facts: SnapshotFacts,
  around: Around,
): void {
  const { findings } = outcome;
  const { runs, exited, policies, ...own } = value;
  const expected = {
    index: facts.index,
    org: subject.org,
    environment_id: around.environment.id,
    created_at: facts.at,
    created_by: facts.by,
    trigger: facts.trigger,
    compliance: facts.compliance,
  };
  compareRecord(path, own, expected, findings);
  const listed = (list: unknown) => (Array.isArray(list) ? list.map(objectOf) : []);
  const named = listed(policies).map(({ name, version }) => ({ name, version }));
  if (!isSame(named, facts.policies)) findings.add(path, 'policies are not those that were recorded');
  const wanted = around.isFirst ? facts.runs : facts.changed;
  const found = new Map(
    listed(runs).map((run) => [runKey({ name: run['name'], fingerprint: run['fingerprint'] }), run]),
  );
  if (found.size !== listed(runs).length) findings.add(path, 'runs has an artifact twice');
  for (const [key, { name }] of wanted)
    if (!found.has(key)) findings.add(path, `runs lacks ${name}, which was recorded`);
  for (const [key, run] of found) verifyRun(path, run, facts, { ...around, key, policies: listed(policies), outcome });
  const left = new Set(listed(exited).map((run) => runKey({ name: run['name'], fingerprint: run['fingerprint'] })));
  const isSameExits = left.size === facts.exited.size && [...left].every((key) => facts.exited.has(key));
  if (!around.isFirst && !isSameExits) findings.add(path, 'exited are not the artifacts that were recorded');
  outcome.proven.add(path);
}

interface AroundRun extends Around {
  readonly key: string;
  readonly policies: readonly Json[];
  readonly outcome: Verifying['outcome'];
}

/** The verdict on a run follows from its decisions and its waiver, and is the one that was recorded. */
function verifyRun(path: string, run: Json, facts: SnapshotFacts, around: AroundRun): void {
  const { findings } = around.outcome;
  const { name, compliance } = run;
  const recorded = facts.runs.get(around.key);
  if (!recorded) {
    findings.add(path, `runs has ${textOf(name)}, which did not run`);
    return;
  }
  if (recorded.compliance !== compliance)
    findings.add(path, `${textOf(name)} is ${textOf(compliance)}; recorded was ${recorded.compliance}`);
  const members = new Set([
    'name',
    'fingerprint',
    'compliance',
    'artifact_ids',
    'evidence_id',
    'decision_ids',
    'waiver_id',
  ]);
  for (const key of Object.keys(run))
    if (!members.has(key)) findings.add(path, `${textOf(name)} has the member ${key}`);
  const derived = derivedCompliance(path, run, facts, around);
  if (derived !== undefined && derived !== recorded.compliance)
    findings.add(path, `${textOf(name)} was recorded as ${recorded.compliance}, but its decisions make it ${derived}`);
}

function derivedCompliance(path: string, run: Json, facts: SnapshotFacts, around: AroundRun): string | undefined {
  const { outcome, policies } = around;
  const { name, fingerprint, evidence_id, waiver_id } = run;
  const ids = Array.isArray(run['decision_ids']) ? run['decision_ids'].map(String) : [];
  const decisions = ids.map((id) => around.decisions.get(id));
  const known = decisions.filter((decision) => decision !== undefined);
  if (known.length < ids.length) {
    outcome.unproven.set(`${path}, ${textOf(name)}`, 'a decision about it could not be made again');
    return undefined;
  }
  const isAbout = known.every((decision, i) => {
    const { context } = decision;
    const isPolicy =
      policies[i]?.['name'] === decision.policyName && policies[i]?.['version'] === decision.policyVersion;
    const isArtifact = context['artifact'] === null || context['artifact'] === name;
    return isPolicy && isArtifact && decision.evidenceId === evidence_id && decision.fingerprint === fingerprint;
  });
  if (!isAbout || known.length !== policies.length)
    outcome.findings.add(path, `${textOf(name)} has decisions that are not those of its policies about it`);
  if (policies.length === 0) return 'unknown';
  if (known.every(({ status }) => status === 'COMPLIANT')) return 'compliant';
  const waiver = around.environment.waivers.get(textOf(waiver_id));
  return waiver && waiver.fingerprint === fingerprint && isActive(waiver, facts.at) ? 'waived' : 'non-compliant';
}

function inWords({ name }: EnvironmentFacts, snapshots: readonly SnapshotFacts[]): string[] {
  const last = snapshots.at(-1);
  if (!last) return [`environment ${name} had no snapshot in the period`];
  const runs = [...last.runs.values()];
  const failing = runs.filter(({ compliance }) => compliance === 'non-compliant').map((run) => run.name);
  return [
    `environment ${name}: ${snapshots.length} snapshots, the last one ${textOf(last.compliance)} with ${runs.length} artifacts`,
    ...(failing.length > 0
      ? [`not compliant at the end: ${failing.slice(0, 10).join(', ')}${failing.length > 10 ? ' and more' : ''}`]
      : []),
  ];
}
