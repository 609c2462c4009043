import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';

interface WaiverRow {
  readonly id: string;
  readonly created_by: string;
  readonly description: string;
}

const listWaiversOf = statement<{ org_id: string; ids: readonly string[] }, WaiverRow>(
  'list_waivers_explained',
  'select id, created_by, description from waiver where org_id = :org_id and id = any(:ids::uuid[])',
);

/** Waivers by id, active or not. */
export async function readWaivers(
  ctx: Pick<Ctx, 'db' | 'org'>,
  ids: readonly string[],
): Promise<Map<string, WaiverRow>> {
  if (ids.length === 0) return new Map();
  const rows = await listWaiversOf(ctx.db, { org_id: ctx.org, ids: [...new Set(ids)] });
  return new Map(rows.map((row) => [row.id, row]));
}
