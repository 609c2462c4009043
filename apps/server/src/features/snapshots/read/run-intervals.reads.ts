import { nodesAt } from '@waymark/snapshots';
import type { Db } from '../../../platform/db/db.ts';
import { unprepared } from '../../../platform/db/statement.ts';

/** The rows of the environment that a statement gets as `:org_id` and `:environment_id`. */
export const OF_ENVIRONMENT = 'org_id = :org_id and environment_id = :environment_id';

/** A range of an environment's snapshots, from first to last. */
export interface RunInterval {
  readonly [param: string]: unknown;
  readonly org_id: string;
  readonly environment_id: string;
  readonly first: number;
  readonly last: number;
}

/** Runs that started in the range, without those that already ran in its first snapshot. */
export const STARTED_IN_INTERVAL = 'from_index > :first and from_index <= :last';

const latestAt = (moment: string) => `(select index from snapshot
   where ${OF_ENVIRONMENT} and created_at <= ${moment}::timestamptz order by created_at desc, index desc limit 1)`;

const findBounds = unprepared<
  { org_id: string; environment_id: string; from: Date; to: Date },
  { first: number | null; last: number | null }
>('find_interval_bounds', `select ${latestAt(':from')} as first, ${latestAt(':to')} as last`);

/** Returns the snapshots that were the latest at some time in the span, if any. */
export async function findRunInterval(
  db: Db,
  org: string,
  environmentId: string,
  span: { from: Date; to: Date },
): Promise<RunInterval | undefined> {
  const at = { org_id: org, environment_id: environmentId };
  const [bounds] = await findBounds(db, { ...at, ...span });
  if (!bounds?.last) return undefined;
  return { ...at, first: bounds.first ?? 1, last: bounds.last };
}

/** More snapshots than can be made during a read, so that an interval that ends meanwhile is still found. */
const MADE_MEANWHILE = 1_000_000;

interface Nodes {
  readonly nodes_before: readonly number[];
  readonly nodes_behind: readonly number[];
}

/** Returns the nodes of intervals that hold in a snapshot, for a statement with `holdingAt`. */
export function nodesHolding(index: number, latest: number): Nodes {
  return onBothSides(index, nodesAt(index, latest + MADE_MEANWHILE));
}

/** The same, with intervals that ended in the snapshot. */
export function nodesHoldingOrEnding(index: number, latest: number): Nodes {
  const newest = latest + MADE_MEANWHILE;
  return onBothSides(index, [...new Set([...nodesAt(index, newest), ...nodesAt(index - 1, newest)])]);
}

function onBothSides(index: number, nodes: readonly number[]): Nodes {
  return {
    nodes_before: nodes.filter((node) => node <= index),
    nodes_behind: nodes.filter((node) => node > index),
  };
}

interface Intervals {
  readonly table: 'running' | 'running_instances' | 'running_verdict';
  readonly columns: string;
  /** The parameter that is the index of the snapshot. */
  readonly index: string;
  /** Also those that ended in it. */
  readonly orEnding?: boolean;
}

/**
 * Selects the intervals that hold in a snapshot. Each node is looked up separately, so that only an index on nodes is
 * needed: an interval whose node lies before the snapshot began before it too, and only its end is compared; the other
 * way round for nodes after it.
 */
export function holdingAt({ table, columns, index, orEnding = false }: Intervals): string {
  const heldBy = (nodes: string, isHeld: string) => `
   union all
   select held.* from unnest(${nodes}::integer[]) as at (node)
   cross join lateral (
     select ${columns} from ${table} where ${OF_ENVIRONMENT} and node = at.node and ${isHeld} offset 0
   ) as held`;
  return `select ${columns} from ${table} where ${OF_ENVIRONMENT} and until_index is null and from_index <= ${index}
   ${heldBy(':nodes_before', `until_index ${orEnding ? '>=' : '>'} ${index}`)}
   ${heldBy(':nodes_behind', `from_index <= ${index} and until_index is not null`)}`;
}

export interface RunRow {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly from_index: number;
}

const listHeld = unprepared<RunInterval & Nodes, RunRow>(
  'list_runs_at_first',
  holdingAt({ table: 'running', columns: 'no, name, fingerprint, from_index', index: ':first' }),
);

/** Runs in the first snapshot. */
export function listRunsAtFirst(db: Db, interval: RunInterval): Promise<RunRow[]> {
  return listHeld(db, { ...interval, ...nodesHolding(interval.first, interval.last) });
}

/**
 * The verdicts on the runs `:nos` in a range of snapshots, as `run` and `verdict`. Each run is looked up by its number,
 * so the rest of the history is not read.
 */
export function verdictsInInterval(columns: string, order = 'order by from_index offset 0'): string {
  return `unnest(:nos::integer[]) with ordinality as run (no, place)
   cross join lateral (
     select ${columns} from running_verdict
     where ${OF_ENVIRONMENT} and no = run.no and from_index <= :last and (until_index is null or until_index > :first)
     ${order}
   ) as verdict`;
}
