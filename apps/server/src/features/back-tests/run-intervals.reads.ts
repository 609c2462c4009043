import { nodesAt } from '@waymark/snapshots';
import type { Db } from '../../platform/db/db.ts';
import { unprepared } from '../../platform/db/statement.ts';

/** A range of an environment's snapshots, from first to last. */
export interface RunInterval {
  readonly [param: string]: unknown;
  readonly org_id: string;
  readonly environment_id: string;
  readonly first: number;
  readonly last: number;
}

const AT = 'org_id = :org_id and environment_id = :environment_id';

const latestAt = (moment: string) => `(select index from snapshot
   where ${AT} and created_at <= ${moment}::timestamptz order by created_at desc, index desc limit 1)`;

const findBounds = unprepared<
  { org_id: string; environment_id: string; from: Date; to: Date },
  { first: number | null; last: number | null }
>('find_simulated_bounds', `select ${latestAt(':from')} as first, ${latestAt(':to')} as last`);

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

export interface RunRow {
  readonly no: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly from_index: number;
}

const RUN = 'no, name, fingerprint, from_index';
const heldBy = (nodes: string, isHeld: string) => `
   union all
   select held.* from unnest(${nodes}::integer[]) as at (node)
   cross join lateral (select ${RUN} from running where ${AT} and node = at.node and ${isHeld} offset 0) as held`;

const listHeld = unprepared<RunInterval & { nodes_before: readonly number[]; nodes_behind: readonly number[] }, RunRow>(
  'list_simulated_held',
  `select ${RUN} from running where ${AT} and until_index is null and from_index <= :first
   ${heldBy(':nodes_before', 'until_index > :first')}
   ${heldBy(':nodes_behind', 'from_index <= :first and until_index is not null')}`,
);

/** More than can be made during a read, so that an interval that ends meanwhile is still found. */
const MADE_MEANWHILE = 1_000_000;

/** Runs in the first snapshot. */
export function listRunsAtFirst(db: Db, interval: RunInterval): Promise<RunRow[]> {
  const nodes = nodesAt(interval.first, interval.last + MADE_MEANWHILE);
  return listHeld(db, {
    ...interval,
    nodes_before: nodes.filter((node) => node <= interval.first),
    nodes_behind: nodes.filter((node) => node > interval.first),
  });
}
