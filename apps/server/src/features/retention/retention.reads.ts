import { type RecordType, type RetentionRule, recordTypes } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { epochSeconds } from '../../platform/time.ts';
import { retainedUntil } from './retained-until.ts';
import { listSettings, type RetentionSettingRow } from './retention.store.ts';

/** Returns the minimum of each record type, with longer ones of the past that still apply to something. */
export async function readRetention(ctx: Ctx): Promise<RetentionRule[]> {
  const settings = Map.groupBy(await listSettings(ctx.db, ctx.org), (row) => row.record_type);
  return recordTypes.map((type) => ruleOf(type, settings.get(type) ?? [], ctx.now()));
}

function ruleOf(recordType: RecordType, versions: readonly RetentionSettingRow[], now: Date): RetentionRule {
  const inForce = versions.find((version) => version.replaced_at === null);
  const current = inForce?.minimum_years ?? 0;
  return {
    record_type: recordType,
    minimum_years: current,
    set_at: inForce ? epochSeconds(inForce.set_at) : null,
    set_by: inForce?.set_by ?? null,
    earlier_minimums: earlierMinimums(versions, current, now),
  };
}

/** Of two minimums of the past, the shorter one that ended first says nothing more. */
function earlierMinimums(versions: readonly RetentionSettingRow[], current: number, now: Date) {
  const earlier: { minimum_years: number; recorded_until: number }[] = [];
  let longest = current;
  for (const { minimum_years, replaced_at } of versions.toReversed()) {
    if (replaced_at === null || minimum_years <= longest || retainedUntil(replaced_at, minimum_years) <= now) continue;
    longest = minimum_years;
    earlier.push({ minimum_years, recorded_until: epochSeconds(replaced_at) });
  }
  return earlier;
}
