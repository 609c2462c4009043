import type { Ctx } from '../../../platform/ctx.ts';
import type { RunToJudge, RunVerdict } from '../judge-runs.service.ts';
import { upsertTurns } from './verdict-turn.store.ts';

const LEAD_MAX_MS = 3 * 86_400_000;
/** Evidence that lasts for hours is not warned of all the time. */
const LEAD_SHARE = 1 / 4;

/** Notes when each artifact has to be judged again although nothing about it changes. */
export async function scheduleTurns(
  ctx: Ctx,
  runs: readonly RunToJudge[],
  verdicts: readonly RunVerdict[],
): Promise<void> {
  const now = ctx.now().getTime();
  const turns = new Map<string, { environment: string; fingerprint: string; at: number }>();
  for (const [i, { environment, fingerprint }] of runs.entries()) {
    const turnsAt = verdicts[i]?.turnsAt ?? null;
    if (turnsAt === null) continue;
    const key = `${environment.id} ${fingerprint}`;
    const at = Math.min(turnsAt, turns.get(key)?.at ?? turnsAt);
    turns.set(key, { environment: environment.id, fingerprint, at });
  }
  if (turns.size === 0) return;
  // In one order, so that concurrent transactions cannot deadlock.
  const rows = [...turns].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, turn]) => turn);
  await upsertTurns(ctx.db, {
    org_id: ctx.org,
    environments: rows.map(({ environment }) => environment),
    fingerprints: rows.map(({ fingerprint }) => fingerprint),
    turns: rows.map(({ at }) => new Date(Math.ceil(at * 1000))),
    warnings: rows.map(({ at }) => new Date(at * 1000 - Math.min(LEAD_MAX_MS, (at * 1000 - now) * LEAD_SHARE))),
  });
}
