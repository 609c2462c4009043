import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { type JudgedArtifact, judgeArtifacts, listNewestByFlow } from '../artifacts/artifact.reads.ts';
import { artifactUrl } from '../artifacts/artifact-view.ts';
import { toAssertedStatus, toExplanation } from '../compliance/compliance-view.ts';
import { readFlow } from '../flows/flow.reads.ts';

export function assertRoutes(app: App): void {
  handle(app, api.assertArtifact, async (ctx, { params, query }) => {
    const artifacts = await findEverywhere(ctx, params.fingerprint, query.flow_name);
    const [newest] = artifacts;
    if (!newest) throw notFound('Artifact', params.fingerprint);
    const evaluatedAt = epochSeconds(ctx.now());
    const statusOf = (artifact: JudgedArtifact) =>
      toAssertedStatus(artifact.status, artifact.judgement, artifact.template_id, evaluatedAt);
    const toFlow = (artifact: JudgedArtifact) => ({
      flow: artifact.flow_name,
      trail: artifact.trail_name,
      compliant: artifact.status.status === 'COMPLIANT',
      compliance_status: statusOf(artifact),
      explanation: toExplanation(artifact.status.explanation),
      html_url: artifactUrl(app.publicUrl, params.org, artifact),
    });
    const flows = artifacts.map(toFlow);
    return {
      fingerprint: params.fingerprint,
      compliant: flows.every((flow) => flow.compliant),
      scope: 'flow' as const,
      environment: null,
      policy_evaluations: [],
      flow: newest.flow_name,
      trail: newest.trail_name,
      compliance_status: statusOf(newest),
      flows,
      allow_listing: null,
      html_url: artifactUrl(app.publicUrl, params.org, newest),
    };
  });
}

/** The newest report of the artifact in each flow that has one, or in the one flow that is asked for. */
async function findEverywhere(ctx: Ctx, fingerprint: string, flowName: string | undefined): Promise<JudgedArtifact[]> {
  const flowId = flowName === undefined ? undefined : (await readFlow(ctx, flowName)).id;
  return judgeArtifacts(ctx, await listNewestByFlow(ctx, fingerprint, flowId));
}
