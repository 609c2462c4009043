import * as api from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { notFound } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { readArtifact } from '../../artifacts/artifact.reads.ts';
import { findEnvironmentByName, readEnvironment } from '../../environments/environment.reads.ts';
import { judgeArtifactNow } from '../../runtime-verdicts/judge-now.reads.ts';
import { requirePhysical, resolveSnapshot } from '../../snapshots/read/snapshot.reads.ts';
import { artifactFixes, shownActions } from './actions.ts';
import { explainArtifact } from './explain-artifact.ts';
import { brokeOf, explainEnvironment } from './explain-environment.ts';
import { explainInTrail, trailNode } from './explain-trail.ts';
import { toRoot } from './explanation-node.ts';
import { readArtifactLive, readLive } from './live.reads.ts';
import { readStored } from './stored.reads.ts';

export function explanationRoutes(app: App): void {
  handle(app, api.explainEnvironment, async (ctx, { params, query }) => {
    const isAll = query.all === 'true';
    if (query.snapshot !== undefined) return explainStored(ctx, params.env_name, query.snapshot, isAll);
    const environment = await readEnvironment(ctx, params.env_name);
    await requirePhysical(ctx, environment, 'env_name');
    return explainEnvironment(await readLive(ctx, environment, isAll));
  });

  handle(app, api.explainSnapshot, async (ctx, { params, query }) =>
    explainStored(ctx, params.env_name, params.snapshot_expression, query.all === 'true'),
  );

  handle(app, api.explainArtifact, async (ctx, { params, query }) => {
    const artifact = await readArtifact(ctx, params.flow_name, params.fingerprint, query.trail);
    return query.environment_name === undefined
      ? explainInTrail(artifact)
      : explainInEnvironment(ctx, artifact, query.environment_name);
  });
}

async function explainStored(ctx: Ctx, environmentName: string, expression: string, isAll: boolean) {
  const environment = await findEnvironmentByName(ctx, environmentName);
  const snapshot = await resolveSnapshot(ctx, environment, expression);
  return explainEnvironment(await readStored(ctx, environment, snapshot, isAll));
}

async function explainInEnvironment(
  ctx: Ctx,
  artifact: Awaited<ReturnType<typeof readArtifact>>,
  environmentName: string,
): Promise<api.ArtifactExplanation> {
  const environment = await readEnvironment(ctx, environmentName);
  await requirePhysical(ctx, environment, 'query.environment_name');
  const judged = await judgeArtifactNow(ctx, environment, artifact.asked);
  if (!judged) throw notFound('Artifact', artifact.asked);
  const { verdict, times } = await readArtifactLive(ctx, environment, artifact.asked, judged);
  const node = explainArtifact('', environment.name, verdict);
  return {
    ...toRoot({ ...node, children: [...node.children, trailNode(artifact.status.explanation)] }),
    environment: environment.name,
    ...brokeOf(verdict.compliance, times),
    actions: verdict.compliance === 'non-compliant' ? shownActions([artifactFixes(verdict, verdict.decisions)]) : [],
  };
}
