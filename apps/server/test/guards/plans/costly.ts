import { sql } from 'kysely';
import type { Db } from '../../../src/platform/db/db.ts';

/** A node of a plan with its counters, in the words of PostgreSQL. */
export interface PlanNode {
  readonly [property: string]: unknown;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows a node may read and discard. */
const IN_VAIN_MAX = 1000;

export async function costly(db: Db, query: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await sql<{
    'QUERY PLAN': { Plan: PlanNode }[];
  }>`explain (analyze, format json) ${query}`.execute(db);
  return rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => costlyIn(Plan));
}

/** Tables that a plan scans completely, rows that it reads and discards, and sorts that went to disk. */
export function costlyIn(plan: PlanNode, inVainMax = IN_VAIN_MAX): string[] {
  return nodesOf(plan).flatMap((node) => {
    const found: string[] = [];
    const isWholeTable = node['Node Type'] === 'Seq Scan' && rowsReadBy(node) > IN_VAIN_MAX;
    // Rows of the statement itself are in memory.
    const isStored = node['Node Type'] !== 'CTE Scan';
    if (isWholeTable || (isStored && rowsInVain(node) > inVainMax)) {
      found.push(`${String(node['Node Type'])} on ${String(node['Relation Name'])}`);
    }
    if (node['Sort Space Type'] === 'Disk') found.push('Sort on disk');
    return found;
  });
}

/** Of all tables and indexes. */
export function rowsRead(plan: PlanNode): number {
  return nodesOf(plan)
    .filter((node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
    .reduce((sum, node) => sum + rowsReadBy(node), 0);
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function rowsReadBy(node: PlanNode): number {
  return Number(node['Actual Rows']) * Number(node['Actual Loops']) + rowsInVain(node);
}

function rowsInVain(node: PlanNode): number {
  return Number(node['Rows Removed by Filter'] ?? 0) * Number(node['Actual Loops']);
}
