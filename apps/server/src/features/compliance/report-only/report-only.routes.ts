import * as api from '@waymark/contract';
import { actionsFor, fixesOf, reasonTexts } from '@waymark/policy';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { type ReportOnlyVerdict, readReportOnly } from './report-only.reads.ts';

const FAILING_SHOWN = 50;
const ACTIONS_SHOWN = 20;

export function reportOnlyRoutes(app: App): void {
  handle(app, api.listReportOnlyPolicies, async (ctx, { params }) => {
    const { environment, at, artifactCount, isCut, verdicts } = await readReportOnly(ctx, params.env_name);
    return {
      environment: environment.name,
      evaluated_at: epochSeconds(at),
      artifact_count: artifactCount,
      is_cut: isCut,
      policies: verdicts.map(toReportOnly),
    };
  });
}

function toReportOnly({ policy, failing, waivedCount, compliantCount }: ReportOnlyVerdict): api.ReportOnlyPolicy {
  const fixes = failing.map((run) => [run, fixesOf([run.judged])] as const);
  return {
    policy_name: policy.name,
    version: policy.version,
    attached_at: epochSeconds(policy.attached_at),
    attached_by: policy.attached_by,
    status: failing.length === 0 ? 'compliant' : 'non-compliant',
    compliant_count: compliantCount,
    non_compliant_count: failing.length,
    waived_count: waivedCount,
    failing: failing.slice(0, FAILING_SHOWN).map(({ fingerprint, name, judged }) => {
      return { fingerprint, artifact_name: name, reasons: reasonTexts(judged.reasons) };
    }),
    actions: actionsFor(fixes)
      .slice(0, ACTIONS_SHOWN)
      .map(({ fix, subjects }) => ({ fix, artifact_count: subjects.length })),
  };
}
