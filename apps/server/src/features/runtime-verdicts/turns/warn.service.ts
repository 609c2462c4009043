import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { readProvenance } from '../../provenance/provenance.reads.ts';
import { listRunsOfArtifacts, readStates } from '../../snapshots/record/current-runs.reads.ts';
import { readApplied } from '../applied.reads.ts';
import { judgeRuns, type RunVerdict } from '../judge-runs.service.ts';
import { evidenceExpiring } from './evidence-expiring.entries.ts';
import { updateRevision, updateToWarned, type VerdictTurn } from './verdict-turn.store.ts';

interface Expiring {
  readonly name: string;
  readonly fingerprint: string;
  readonly expires_at: number;
  readonly policies: readonly string[];
}

const ARTIFACTS_MAX = 20;

/** Records which of these artifacts, all of one environment, will not be compliant anymore. */
export async function warnOf(ctx: Ctx, environmentId: string, turns: readonly VerdictTurn[]): Promise<void> {
  const expiring = await findExpiring(ctx, environmentId, turns);
  await inTransaction(ctx, async (ctx) => {
    await lockSubject(ctx.db, ctx.org, 'environment', environmentId);
    const warned = await updateToWarned(ctx.db, {
      org_id: ctx.org,
      environment_id: environmentId,
      fingerprints: turns.map(({ fingerprint }) => fingerprint),
      turns: turns.map(({ turns_at }) => turns_at),
    });
    const current = new Set(warned.map(({ fingerprint }) => fingerprint));
    const [first, ...others] = expiring.filter(({ fingerprint }) => current.has(fingerprint));
    if (first) await record(ctx, environmentId, [first, ...others], first.expires_at);
  });
}

async function record(ctx: Ctx, id: string, expiring: readonly Expiring[], expires_at: number): Promise<void> {
  const [environment] = await updateRevision(ctx.db, { org_id: ctx.org, id });
  if (!environment) return;
  await emit(
    ctx,
    evidenceExpiring,
    { kind: 'environment', id, seq: environment.revision },
    {
      environment: environment.name,
      expires_at,
      artifact_count: expiring.length,
      artifacts: expiring.slice(0, ARTIFACTS_MAX).map((one) => ({ ...one, policies: [...one.policies] })),
    },
  );
}

/** The earliest first. Judges each run twice by the evidence as it is: now, and at its turn. */
async function findExpiring(ctx: Ctx, environmentId: string, turns: readonly VerdictTurn[]): Promise<Expiring[]> {
  const [environment] = await readStates(ctx.db, { org_id: ctx.org, ids: [environmentId] });
  if (!environment) return [];
  const applied = (await readApplied(ctx, [environmentId]))(environmentId);
  const turnOf = new Map(turns.map(({ fingerprint, turns_at }) => [fingerprint, epochSeconds(turns_at)]));
  const fingerprints = [...turnOf.keys()];
  const runs = await listRunsOfArtifacts(
    ctx.db,
    ctx.org,
    fingerprints.map((fingerprint) => ({ environmentId, fingerprint })),
  );
  const provenanceOf = await readProvenance(ctx.db, ctx.org, fingerprints);
  const asked = runs.map(({ name, fingerprint }) => ({ environment, applied, name, fingerprint }));
  // Rounded to milliseconds, a turn may be a little early.
  const then = asked.map((run) => ({ ...run, now: (turnOf.get(run.fingerprint) ?? 0) + 0.001 }));
  const verdicts = await judgeRuns(ctx, [...asked, ...then], provenanceOf);
  const found = asked.flatMap(({ name, fingerprint }, i): Expiring[] => {
    const [now, later] = [verdicts[i], verdicts[asked.length + i]];
    const expires_at = turnOf.get(fingerprint);
    if (!now || !later || expires_at === undefined) return [];
    if (now.compliance === 'non-compliant' || later.compliance !== 'non-compliant') return [];
    return [{ name, fingerprint, expires_at, policies: newlyFailing(now, later) }];
  });
  return found.toSorted((one, other) => one.expires_at - other.expires_at || (one.name < other.name ? -1 : 1));
}

function newlyFailing(now: RunVerdict, later: RunVerdict): string[] {
  return later.decisions.flatMap(({ policyName, status }, i) =>
    status === 'NON-COMPLIANT' && now.decisions[i]?.status === 'COMPLIANT' ? [policyName] : [],
  );
}
