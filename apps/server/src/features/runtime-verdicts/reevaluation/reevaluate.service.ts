import type { Ctx } from '../../../platform/ctx.ts';
import { type EnvironmentState, readStates } from '../../snapshots/record/current-runs.reads.ts';
import type { Past } from '../../snapshots/record/lineage.reads.ts';
import { recordReevaluated } from '../../snapshots/record/snapshot.service.ts';
import { type Applied, readApplied } from '../applied.reads.ts';
import { type Ahead, type JudgedFirst, judgeAhead } from '../judge-ahead.service.ts';
import { storeDecisions } from '../store-decisions.service.ts';
import { type ChangedRun, findChangedRuns, type Reevaluated } from './changed-runs.ts';
import { readPast, toSnapshot } from './reevaluated-snapshot.ts';
import type { ReevaluationCause } from './reevaluation-cause.ts';

/** What to re-evaluate in an environment, and why. */
export interface Reevaluation {
  readonly environmentId: string;
  readonly causes: readonly ReevaluationCause[];
  /** All artifacts that run there, unless given. */
  readonly fingerprints?: readonly string[];
}

interface Options extends Pick<JudgedFirst<unknown>, 'ifBusy'> {
  /** Returns those of the environments whose result is still wanted, in the transaction that records it. */
  select?(ctx: Ctx, ids: readonly string[]): Promise<readonly string[]>;
  /** Runs in the same transaction, with the environments that are finished. */
  finish?(ctx: Ctx, ids: readonly string[]): Promise<void>;
}

/**
 * Reads the provenance of what runs and judges it again, and makes a snapshot of each environment in which either has
 * changed: reports of artifacts and evidence arrive after the start, policies and tags change. There may be several
 * transactions that record. Returns the indexes of the snapshots by environment.
 */
export async function reevaluate(
  ctx: Ctx,
  wanted: readonly Reevaluation[],
  { select, finish, ...options }: Options = {},
): Promise<ReadonlyMap<string, number>> {
  const indexes = new Map<string, number>();
  const wantedOf = new Map(wanted.map((one) => [one.environmentId, one]));
  await judgeAhead(ctx, [...wantedOf.keys()], {
    ...options,
    judge: (ctx, ids) => findChanges(ctx, ids, wantedOf),
    async record(ctx, ids, judged) {
      const selected = new Set(select ? await select(ctx, ids) : ids);
      const changes = judged.flatMap(({ id, work }) => (work && selected.has(id) ? [work] : []));
      const made = changes.map(({ reevaluated, changedRuns, past }) => {
        return toSnapshot(reevaluated, wantedOf.get(reevaluated.state.id)?.causes ?? [], changedRuns, past);
      });
      if (made.length > 0) await recordReevaluated(ctx, made);
      await finish?.(ctx, [...selected]);
      for (const { snapshot } of made) indexes.set(snapshot.environmentId, snapshot.index);
    },
  });
  return indexes;
}

/** What changed in an environment since its latest snapshot. */
interface Change {
  readonly reevaluated: Reevaluated;
  readonly changedRuns: readonly ChangedRun[];
  readonly past: ReadonlyMap<ChangedRun, Past>;
}

async function findChanges(
  ctx: Ctx,
  ids: readonly string[],
  wantedOf: ReadonlyMap<string, Reevaluation>,
): Promise<Ahead<Change | undefined>[]> {
  const states = await readStates(ctx.db, { org_id: ctx.org, ids });
  // An environment that never reported has no snapshot that could be outdated.
  const reported = states.filter((state) => state.snapshot_count > 0);
  const changes = await changesIn(ctx, reported, wantedOf);
  return states.map(({ id, stamp }) => ({ id, stamp, work: changes.get(id) }));
}

async function changesIn(
  ctx: Ctx,
  states: readonly EnvironmentState[],
  wantedOf: ReadonlyMap<string, Reevaluation>,
): Promise<Map<string, Change>> {
  if (states.length === 0) return new Map();
  const appliedTo = await readApplied(
    ctx,
    states.map((state) => state.id),
  );
  const all = states.map((state) => toReevaluated(state, appliedTo(state.id), wantedOf.get(state.id)));
  const found = await findChangedRuns(ctx, all);
  const changed = all.filter(({ state, isRejudged }) => isRejudged || found.has(state.id));
  await storeDecisions(ctx, {
    sets: changed.flatMap(({ applied, isRejudged }) => (isRejudged ? (applied.set ?? []) : [])),
    states: [],
    decisions: [],
  });
  const changes = new Map<string, Change>();
  for (const reevaluated of changed) {
    const { id } = reevaluated.state;
    const changedRuns = found.get(id) ?? [];
    changes.set(id, { reevaluated, changedRuns, past: await readPast(ctx, id, changedRuns) });
  }
  return changes;
}

function toReevaluated(state: EnvironmentState, applied: Applied, wanted: Reevaluation | undefined): Reevaluated {
  const isRejudged = (applied.set?.id ?? null) !== state.policy_set_id;
  return { state, applied, isRejudged, fingerprints: isRejudged ? undefined : wanted?.fingerprints };
}
