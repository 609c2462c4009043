import { toAssertedStatus, toExplanation } from '@waymark/compliance';
import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { epochSeconds } from '../../../platform/time.ts';
import type { JudgedArtifact } from '../../artifacts/artifact.reads.ts';
import { artifactUrl } from '../../artifacts/artifact-view.ts';
import { assertArtifact, type Scoped } from './assert.service.ts';

export function assertRoutes(app: App): void {
  handle(app, api.assertArtifact, async (ctx, { params, query }) => {
    const { fingerprint, artifacts, ...scoped } = await assertArtifact(ctx, params.fingerprint, {
      flowName: query.flow_name,
      environmentName: query.environment_name,
      policyNames: [...new Set([query.policy_name ?? []].flat())],
    });
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
    const [first] = artifacts;
    const environmentUrl = `${app.publicUrl}/${params.org}/environments/${scoped.environment ?? ''}`;
    return {
      fingerprint,
      ...toScoped(scoped),
      flow: first?.flow_name ?? null,
      trail: first?.trail_name ?? null,
      compliance_status: first ? statusOf(first) : null,
      flows: artifacts.map(toFlow),
      html_url: first ? artifactUrl(app.publicUrl, params.org, first) : environmentUrl,
    };
  });
}

function toScoped({ scope, environment, compliance, because, decisions, waiver }: Scoped) {
  return {
    compliant: compliance === 'compliant' || compliance === 'waived',
    compliance,
    because,
    scope,
    environment,
    policy_evaluations: decisions.map(({ policyName, policyVersion, judged }) => ({
      policy_name: policyName,
      policy_version: policyVersion,
      status: judged.status,
      rule_evaluations: judged.ruleEvaluations.map(({ rule, satisfied, ignored, resolutions }) => ({
        rule,
        satisfied,
        ignored,
        resolutions: [...resolutions],
      })),
    })),
    allow_listing: waiver && {
      allowlist_id: waiver.id,
      allowed_by_user_id: waiver.created_by,
      timestamp: epochSeconds(waiver.created_at),
      description: waiver.description,
    },
  };
}
