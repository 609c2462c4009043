import type { CallInput } from '@waymark/client';
import { getSnapshot, type reportServer } from '@waymark/contract';
import { unlessMissing } from '../resources/unless-missing.ts';
import { attempt, type ImportRun } from './import-run.ts';
import { running, snapshotReport } from './snapshot-report.ts';
import type { RunningArtifact, SourceEnvironment, SourceSnapshot } from './source-contracts.ts';
import type { Item } from './tally.ts';

const LATEST = '-1';
const PAST = 'The target records a snapshot when it is reported, and none in the past';

/** Carries what runs now, as the first report of the environment. Earlier snapshots stay at the source. */
export async function carrySnapshot(run: ImportRun, environment: SourceEnvironment): Promise<void> {
  const key = `snapshot ${environment.name}`;
  if (run.state.isDone(key)) return;
  const items = await attempt(run, 'snapshot', environment.name, async () => {
    const snapshot = await run.source.latestSnapshot(environment.name);
    if (!snapshot) return [];
    const past: Item = {
      kind: 'snapshot',
      name: environment.name,
      outcome: 'not_carried',
      reason: PAST,
      count: snapshot.index - 1,
    };
    return [await carryLatest(run, environment, snapshot), ...(snapshot.index > 1 ? [past] : [])];
  });
  run.state.record(key, items);
}

async function carryLatest(run: ImportRun, { name, type }: SourceEnvironment, snapshot: SourceSnapshot): Promise<Item> {
  const { client, org, signal } = run.target;
  const params = { org, env_name: name };
  const existing = await unlessMissing(
    client.call(getSnapshot, { params: { ...params, snapshot_expression: LATEST }, signal }),
  );
  const item = { kind: 'snapshot', name: `${name}#${snapshot.index}` } as const;
  if (existing) {
    const isSame = runsTheSame(existing.artifacts, snapshot.artifacts);
    if (isSame) return { ...item, outcome: 'already_there' };
    return { ...item, outcome: 'not_carried', reason: 'The environment has snapshots of its own in the target' };
  }
  const report = snapshotReport(type, snapshot.artifacts);
  if (!report) return { ...item, outcome: 'not_carried', reason: `The target takes no reports of type '${type}'` };
  if (!run.isDryRun) {
    // The body is of the type that its contract takes; the compiler sees only one of them.
    const input = { params, body: report.body, signal } as unknown as CallInput<typeof reportServer>;
    await client.call(report.contract, input);
  }
  return { ...item, outcome: 'carried' };
}

function runsTheSame(a: readonly RunningArtifact[], b: readonly RunningArtifact[]): boolean {
  const names = (artifacts: readonly RunningArtifact[]) =>
    running(artifacts)
      .map(({ name, fingerprint }) => `${fingerprint} ${name}`)
      .toSorted()
      .join('\n');
  return names(a) === names(b);
}
