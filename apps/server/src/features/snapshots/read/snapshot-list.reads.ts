import type { SnapshotSummary } from '@waymark/contract';
import { parseInterval } from '@waymark/snapshots';
import type { z } from 'zod';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { EnvironmentRow } from '../../environments/environment.reads.ts';
import { requirePhysical } from './snapshot.reads.ts';

export interface SnapshotPage {
  readonly interval: string;
  readonly isOldestFirst: boolean;
  readonly page: number;
  readonly perPage: number;
}

/** Snapshots are numbered without gaps, so a page is found by its numbers however far back it is. */
export async function listSnapshotPage(
  ctx: Ctx,
  environment: EnvironmentRow,
  { interval, isOldestFirst, page, perPage }: SnapshotPage,
): Promise<z.infer<typeof SnapshotSummary>[]> {
  const bounds = await boundsOf(ctx, environment, interval);
  const skipped = (page - 1) * perPage;
  const first = isOldestFirst ? bounds.from + skipped : Math.max(bounds.from, bounds.to - skipped - perPage + 1);
  const last = isOldestFirst ? Math.min(bounds.to, first + perPage - 1) : bounds.to - skipped;
  if (last < first) return [];
  const rows = await listBetween(ctx, environment.id, first, last + 1);
  const summaries = rows
    .filter((row) => row.index <= last)
    .map((row, i) => toSummary(row, rows[i + 1]?.created_at ?? null, ctx.now()));
  return isOldestFirst ? summaries : summaries.reverse();
}

export async function countSnapshots(ctx: Ctx, environment: EnvironmentRow, interval: string): Promise<number> {
  const { from, to } = await boundsOf(ctx, environment, interval);
  return Math.max(0, to - from + 1);
}

async function boundsOf(ctx: Ctx, environment: EnvironmentRow, interval: string) {
  await requirePhysical(ctx, environment, 'env_name');
  const bounds = parseInterval(interval, environment.snapshot_count);
  if (!bounds.ok) throw invalidField('query.interval', bounds.problem);
  return bounds;
}

type Row = Awaited<ReturnType<typeof listBetween>>[number];

function listBetween(ctx: Ctx, environmentId: string, first: number, last: number) {
  return ctx.db
    .selectFrom('snapshot')
    .select(['index', 'created_at', 'trigger', 'compliance', 'artifact_count'])
    .where('org_id', '=', ctx.org)
    .where('environment_id', '=', environmentId)
    .where('index', '>=', first)
    .where('index', '<=', last)
    .orderBy('index')
    .execute();
}

function toSummary(row: Row, nextAt: Date | null, now: Date): z.infer<typeof SnapshotSummary> {
  return {
    index: row.index,
    from: epochSeconds(row.created_at),
    to: nextAt ? epochSeconds(nextAt) : 0,
    // The clocks of servers differ: it may have been made slightly later than the time here.
    duration: Math.max(0, (nextAt ?? now).getTime() - row.created_at.getTime()) / 1000,
    compliant: row.compliance === 'compliant',
    compliance: row.compliance,
    trigger: row.trigger,
    artifact_count: row.artifact_count,
  };
}
