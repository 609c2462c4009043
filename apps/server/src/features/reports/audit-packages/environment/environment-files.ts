import type { Ctx } from '../../../../platform/ctx.ts';
import { requireStored } from '../../../../platform/stored-json.ts';
import { epochSeconds } from '../../../../platform/time.ts';
import type { ReportedWaiver } from '../../printed/period.reads.ts';
import type { PackageFile } from '../archive.ts';
import type { PackageSource } from '../audit-package.service.ts';
import { ledgerFiles, type PackageLedger } from '../package-ledger.ts';
import { readme } from '../readme.ts';
import type { EnvironmentExport } from './environment-export.reads.ts';
import {
  type PackagedDecision,
  type PackagedSnapshot,
  readDecisions,
  readEvidenceStates,
  readReadingTexts,
} from './environment-scope.reads.ts';

interface Packing {
  readonly source: PackageSource;
  readonly exported: EnvironmentExport;
  readonly ledger: PackageLedger;
  /** The report for reading. */
  readonly page: string;
  readonly at: Date;
}

/** Yields the files of a package about an environment. */
export async function* environmentFiles(ctx: Ctx, packing: Packing): AsyncGenerator<PackageFile> {
  const { source, exported, ledger, page, at } = packing;
  const { environment, period, interval } = exported;
  const [from, to] = [period.from, period.to].map((day) => day.toISOString().slice(0, 10));
  yield {
    path: 'README.md',
    content: readme(`Environment ${environment.name} from ${from} to ${to}`, source.publicUrl, at, ledger),
  };
  yield json('records/environment.json', {
    id: environment.id,
    org: source.org,
    name: environment.name,
    type: environment.type,
    from: epochSeconds(period.from),
    to: epochSeconds(period.to),
    first_snapshot: interval?.first ?? null,
    last_snapshot: interval?.last ?? null,
  });
  const began = Map.groupBy(exported.verdicts, ({ from_index }) => from_index);
  const exited = Map.groupBy(exported.exits, ({ until_index }) => until_index);
  for (const snapshot of exported.snapshots)
    yield json(`records/snapshots/${snapshot.index}.json`, snapshotRecord(packing, snapshot, began, exited));
  for await (const decision of readDecisions(ctx, exported.decisionIds))
    yield json(`records/decisions/${decision.id}.json`, decisionRecord(decision));
  for await (const { id, content } of readEvidenceStates(ctx, exported.evidenceIds))
    yield json(`records/evidence/${id}.json`, { id, content });
  for await (const { id, content } of readReadingTexts(ctx, exported.readingIds))
    yield json(`records/readings/${id}.json`, { id, content });
  for (const { created_at, ...policy } of exported.policies)
    yield json(`records/policies/${policy.policy_id}@v${policy.version}.json`, {
      ...policy,
      created_at: epochSeconds(created_at),
    });
  for (const waiver of exported.waivers) yield json(`records/waivers/${waiver.id}.json`, waiverRecord(waiver));
  yield* ledgerFiles(ctx, ledger);
  yield { path: 'index.html', content: page };
}

type ByIndex<Item> = ReadonlyMap<number, readonly Item[]>;

function snapshotRecord(
  { source, exported }: Packing,
  { index, created_at, created_by, trigger, compliance, policy_set_id }: PackagedSnapshot,
  began: ByIndex<EnvironmentExport['verdicts'][number]>,
  exited: ByIndex<EnvironmentExport['exits'][number]>,
) {
  const policies = policy_set_id === null ? [] : (exported.policySets.get(policy_set_id) ?? []);
  return {
    index,
    org: source.org,
    environment_id: exported.environment.id,
    ...{ created_at: epochSeconds(created_at), created_by, trigger, compliance },
    policies: policies.map(({ id, name, version }) => ({ id, name, version })),
    // Of the first snapshot all that ran in it; of others, those that began or whose verdict changed.
    runs: (began.get(index) ?? []).map(({ from_index: _, ...run }) => run),
    exited: (exited.get(index) ?? []).map(({ name, fingerprint }) => ({ name, fingerprint })),
  };
}

function decisionRecord({ id, shown, reasons, ...decision }: PackagedDecision) {
  return {
    id,
    ...decision,
    decision: requireStored<unknown>('decision', id, shown),
    reasons: requireStored<unknown>('decision', id, reasons),
  };
}

function waiverRecord(waiver: ReportedWaiver) {
  const { id, fingerprint, artifact_name, description, created_at, created_by } = waiver;
  const { expires_at, ended_at, ended_by, end_reason } = waiver;
  return {
    ...{ id, fingerprint, name: artifact_name, reason: description },
    ...{ created_at: epochSeconds(created_at), created_by },
    expires_at: expires_at && epochSeconds(expires_at),
    ended_at: ended_at && epochSeconds(ended_at),
    ...{ ended_by, end_reason },
  };
}

function json(path: string, value: unknown): PackageFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}
