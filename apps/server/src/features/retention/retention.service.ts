import { type RecordType, recordTypes } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { changeOrg } from '../orgs/org.service.ts';
import { retainedUntil } from './retained-until.ts';
import { retentionChanged } from './retention.entries.ts';
import * as store from './retention.store.ts';

/** Sets the minimums that are given. Repeating it records nothing. */
export async function changeRetention(
  ctx: Ctx,
  minimumYears: Readonly<Partial<Record<RecordType, number>>>,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await store.lockKeeping(ctx.db, ctx.org);
    const inForce = new Map((await store.listInForce(ctx.db, ctx.org)).map((row) => [row.record_type, row]));
    for (const recordType of recordTypes) {
      const years = minimumYears[recordType];
      const replaced = inForce.get(recordType);
      if (years !== undefined && years !== (replaced?.minimum_years ?? 0))
        await changeMinimum(ctx, recordType, years, replaced);
    }
  });
}

async function changeMinimum(
  ctx: Ctx,
  recordType: RecordType,
  years: number,
  replaced: store.RetentionSettingRow | undefined,
): Promise<void> {
  if (replaced) await store.updateToReplaced(ctx.db, replaced, ctx.now());
  await store.insertSetting(ctx.db, {
    org_id: ctx.org,
    record_type: recordType,
    version: (replaced?.version ?? 0) + 1,
    minimum_years: years,
    set_at: ctx.now(),
    set_by: ctx.actor.name,
  });
  const payload = { record_type: recordType, minimum_years: years, was: replaced?.minimum_years ?? 0 };
  await changeOrg(ctx, {
    values: {},
    isNews: (org) => org.val(true),
    tell: (ctx, subject) => emit(ctx, retentionChanged, subject, payload),
  });
}

/** Refuses to erase a record before its time has passed. `what` names it, at the beginning of a sentence. */
export async function requirePastRetention(
  ctx: Ctx,
  what: string,
  recordType: RecordType,
  recordedAt: Date,
): Promise<void> {
  const years = await store.findLongestSince(ctx.db, ctx.org, recordType, recordedAt);
  const until = retainedUntil(recordedAt, years);
  if (until <= ctx.now()) return;
  throw conflict(
    `${what} can't be erased before ${until.toISOString().slice(0, 10)}: the retention minimum for ${recordType} that ` +
      `applies to it is ${years} ${years === 1 ? 'year' : 'years'}, which can't be shortened afterwards`,
  );
}
