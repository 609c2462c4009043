import type { RunCompliance } from '../../../platform/db/tables.ts';
import type { ArtifactFacts } from '../../snapshots/read/artifact-facts.reads.ts';
import type { Service } from './service-of.ts';

/** A current run, with its service. */
export interface PlacedRun {
  readonly environmentId: string;
  /** Counts the runs of the environment. */
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly startedIn: number;
  readonly compliance: RunCompliance;
  /** Its provenance, if known. */
  readonly report: ArtifactFacts | undefined;
  readonly service: Service;
}

export interface Cell {
  /** The one that started last in that environment. */
  readonly run: PlacedRun;
  readonly others: number;
}

export interface ServiceRow {
  readonly service: Service;
  readonly cells: readonly (Cell | null)[];
  readonly drift: boolean;
}

/** In the order of names, then flows; cells in the order of the environments. */
export function gatherServices(runs: readonly PlacedRun[], environmentIds: readonly string[]): ServiceRow[] {
  const byService = Map.groupBy(runs, ({ service }) => JSON.stringify([service.name, service.flowName]));
  return Array.from(byService.values(), (of) => rowOf(of, environmentIds)).sort(byName);
}

function rowOf(runs: readonly PlacedRun[], environmentIds: readonly string[]): ServiceRow {
  const there = Map.groupBy(runs, (run) => run.environmentId);
  const cells = environmentIds.map((id) => cellOf(there.get(id) ?? []));
  const versions = new Set(environmentIds.flatMap((id) => versionsIn(there.get(id) ?? [])));
  return { service: runs[0]?.service ?? { flowName: '', name: '' }, cells, drift: versions.size > 1 };
}

function cellOf(runs: readonly PlacedRun[]): Cell | null {
  const [first, ...rest] = runs;
  if (!first) return null;
  const run = rest.reduce((newest, other) => (other.no > newest.no ? other : newest), first);
  return { run, others: rest.length };
}

/** Identifies the set of artifacts that run side by side: two environments are equal if they run the same. */
function versionsIn(runs: readonly PlacedRun[]): string[] {
  return runs.length === 0 ? [] : [JSON.stringify([...new Set(runs.map(versionOf))].sort())];
}

/** An artifact without a fingerprint is identified by its name. */
function versionOf({ fingerprint, name }: PlacedRun): string {
  return fingerprint === '' ? `name ${name}` : fingerprint;
}

function byName(a: ServiceRow, b: ServiceRow): number {
  if (a.service.name !== b.service.name) return a.service.name < b.service.name ? -1 : 1;
  return a.service.flowName < b.service.flowName ? -1 : 1;
}
