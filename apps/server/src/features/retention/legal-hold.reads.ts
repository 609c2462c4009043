import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { cut } from '../../platform/db/paginate.ts';
import { type LegalHoldRow, listHolds } from './legal-hold.store.ts';
import { decodePlace, encodePlace, PAGE_MAX } from './list-place.ts';

/** A hold with the current names of what it is about. */
export interface NamedHold {
  readonly hold: LegalHoldRow;
  readonly environment: string | null;
  readonly flow: string | null;
  readonly trail: string | null;
}

/** Newest first, and the cursor of the rest, if any. */
export async function listNamedHolds(
  ctx: Ctx,
  { lifted, after }: { readonly lifted: boolean; readonly after: string | undefined },
): Promise<{ holds: NamedHold[]; next: string | undefined }> {
  const place = after === undefined ? undefined : decodePlace(after);
  const { shown, last } = cut(await listHolds(ctx.db, ctx.org, { lifted, after: place }), PAGE_MAX);
  return {
    holds: await nameHolds(ctx, shown),
    next: last && encodePlace({ at: last.placed_at, id: last.id }),
  };
}

interface NamesRow {
  readonly id: string;
  readonly environment: string | null;
  readonly flow: string | null;
  readonly trail: string | null;
}

export async function nameHolds(ctx: Ctx, holds: readonly LegalHoldRow[]): Promise<NamedHold[]> {
  const ids = holds.flatMap(({ subject_id }) => subject_id ?? []);
  const { rows } = await sql<NamesRow>`
    select id, name as environment, null as flow, null as trail from environment
    where org_id = ${ctx.org} and id = any(${ids}::uuid[])
    union all
    select trail.id, null, flow.name, trail.name from trail
    join flow on flow.org_id = trail.org_id and flow.id = trail.flow_id
    where trail.org_id = ${ctx.org} and trail.id = any(${ids}::uuid[])`.execute(ctx.db);
  const namesOf = new Map(rows.map((row) => [row.id, row]));
  return holds.map((hold) => {
    const names = namesOf.get(hold.subject_id ?? '');
    return {
      hold,
      environment: names?.environment ?? null,
      flow: names?.flow ?? null,
      trail: names?.trail ?? null,
    };
  });
}
