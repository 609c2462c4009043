import { physicalTypes } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import {
  type EnvironmentView,
  findEnvironmentByName,
  listEnvironmentPage,
  listViews,
} from '../../environments/environment.reads.ts';
import { type ArtifactFacts, readArtifactFacts } from '../../snapshots/read/artifact-facts.reads.ts';
import { requirePhysical } from '../../snapshots/read/snapshot.reads.ts';
import { readFlowNames } from '../../snapshots/read/snapshot-context.reads.ts';
import { namingReport, withoutTag } from './service-of.ts';
import { gatherServices, type PlacedRun, type ServiceRow } from './services.ts';

const SHOWN_UNLESS_ASKED = 12;

export interface AskedMatrix {
  readonly nameContains: string | undefined;
  /** In display order; when empty, the first few by name. */
  readonly environments: readonly string[];
  readonly onlyDrift: boolean;
  readonly page: number;
  readonly perPage: number;
}

export interface Matrix {
  readonly environments: readonly EnvironmentView[];
  readonly total: number;
  readonly services: readonly ServiceRow[];
  /** When the shown runs started. */
  readonly startedAt: (run: PlacedRun) => Date | undefined;
}

export async function readMatrix(ctx: Ctx, asked: AskedMatrix): Promise<Matrix> {
  const environments = await listColumns(ctx, asked.environments);
  const ids = environments.map(({ id }) => id);
  const rows = await listRunsNow(ctx, ids);
  const facts = await readArtifactFacts(
    ctx,
    rows.flatMap((row) => row.artifact_ids),
  );
  const flowNames = await readFlowNames(
    ctx,
    Array.from(facts.values(), ({ flowId }) => flowId),
  );
  const runs = rows.map((row) => toPlacedRun(row, facts, flowNames));
  const part = asked.nameContains?.toLowerCase() ?? '';
  const found = gatherServices(runs, ids).filter(
    (row) => row.service.name.toLowerCase().includes(part) && (row.drift || !asked.onlyDrift),
  );
  const services = found.slice((asked.page - 1) * asked.perPage, asked.page * asked.perPage);
  const times = await readStarts(ctx, services);
  return {
    environments,
    total: found.length,
    services,
    startedAt: (run) => times.get(placeOf(run.environmentId, run.startedIn)),
  };
}

async function listColumns(ctx: Ctx, names: readonly string[]): Promise<EnvironmentView[]> {
  if (names.length === 0) {
    const filter = { nameContains: undefined, types: physicalTypes, tags: [], sort: 'name', direction: 'asc' } as const;
    return (await listEnvironmentPage(ctx, filter, 1, SHOWN_UNLESS_ASKED)).environments;
  }
  const named = await Promise.all(names.map((name) => findEnvironmentByName(ctx, name)));
  for (const environment of named) await requirePhysical(ctx, environment, 'query.environment');
  return listViews(ctx, [...new Set(named.map(({ id }) => id))]);
}

interface RunRow {
  readonly environment_id: string;
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly from_index: number;
  readonly compliance: RunCompliance | null;
  readonly artifact_ids: string[];
}

/** Reads one environment after the other: what runs in all of them is too much for one query. */
async function listRunsNow(ctx: Ctx, environmentIds: readonly string[]): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select run.* from unnest(${environmentIds}::uuid[]) as shown (environment_id)
    cross join lateral (
      select running.environment_id, running.no, running.name, running.fingerprint, running.from_index,
        verdict.compliance, coalesce(verdict.artifact_ids, '{}') as artifact_ids
      from running
      left join running_verdict as verdict on verdict.org_id = ${ctx.org}
        and verdict.environment_id = shown.environment_id and verdict.no = running.no and verdict.until_index is null
      where running.org_id = ${ctx.org} and running.environment_id = shown.environment_id
        and running.until_index is null
      offset 0
    ) as run`.execute(ctx.db);
  return rows;
}

function toPlacedRun(
  row: RunRow,
  facts: ReadonlyMap<string, ArtifactFacts>,
  flowNames: ReadonlyMap<string, string>,
): PlacedRun {
  const report = namingReport(row.artifact_ids.flatMap((id) => facts.get(id) ?? []));
  return {
    environmentId: row.environment_id,
    no: row.no,
    name: row.name,
    fingerprint: row.fingerprint,
    startedIn: row.from_index,
    compliance: row.compliance ?? 'unknown',
    report,
    service: {
      flowName: flowNames.get(report?.flowId ?? '') ?? '',
      name: report?.templateName ?? withoutTag(row.name),
    },
  };
}

function placeOf(environmentId: string, index: number): string {
  return `${environmentId} ${index}`;
}

async function readStarts(ctx: Ctx, services: readonly ServiceRow[]): Promise<Map<string, Date>> {
  const runs = services.flatMap(({ cells }) => cells.flatMap((cell) => cell?.run ?? []));
  const { rows } = await sql<{ environment_id: string; index: number; created_at: Date }>`
    select snapshot.environment_id, snapshot.index, snapshot.created_at
    from unnest(${runs.map((run) => run.environmentId)}::uuid[], ${runs.map((run) => run.startedIn)}::integer[])
      as started (environment_id, index)
    join snapshot on snapshot.org_id = ${ctx.org} and snapshot.environment_id = started.environment_id
      and snapshot.index = started.index`.execute(ctx.db);
  return new Map(rows.map((row) => [placeOf(row.environment_id, row.index), row.created_at]));
}
