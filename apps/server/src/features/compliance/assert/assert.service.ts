import { inBrief, reasonTexts } from '@waymark/policy';
import type { Ctx } from '../../../platform/ctx.ts';
import type { RunCompliance } from '../../../platform/db/tables.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { type JudgedArtifact, judgeArtifacts, listNewestByFlow } from '../../artifacts/artifact.reads.ts';
import { type EnvironmentView, readEnvironment } from '../../environments/environment.reads.ts';
import { readFlow } from '../../flows/flow.reads.ts';
import type { AttachedPolicy } from '../../policies/attached.reads.ts';
import { findPolicyVersion } from '../../policies/policy.reads.ts';
import { findFingerprint } from '../../provenance/fingerprint.reads.ts';
import type { ActiveWaiver } from '../../runtime-verdicts/active-waiver.reads.ts';
import type { Decision } from '../../runtime-verdicts/judge.service.ts';
import { findReportedName, judgeArtifactNow, judgeByPolicies } from '../../runtime-verdicts/judge-now.reads.ts';
import type { RunVerdict } from '../../runtime-verdicts/judge-runs.service.ts';
import { requirePhysical } from '../../snapshots/read/snapshot.reads.ts';

interface Question {
  readonly flowName: string | undefined;
  readonly environmentName: string | undefined;
  /** Without duplicates. */
  readonly policyNames: readonly string[];
}

/** The verdict of the environment, the policies or the flows. */
export interface Scoped {
  readonly scope: 'flow' | 'environment' | 'policy';
  readonly environment: string | null;
  readonly compliance: RunCompliance;
  readonly because: string;
  readonly decisions: readonly Decision[];
  readonly waiver: ActiveWaiver | null;
}

interface Assertion extends Scoped {
  readonly fingerprint: string;
  /** The newest report in each flow, or in the one that was asked for. */
  readonly artifacts: readonly JudgedArtifact[];
}

/** `prefix` is a fingerprint, or the first digits of one. */
export async function assertArtifact(ctx: Ctx, prefix: string, question: Question): Promise<Assertion> {
  const { flowName, environmentName, policyNames } = question;
  if (environmentName !== undefined && policyNames.length > 0) {
    throw invalidField('query.policy_name', 'cannot be combined with environment_name');
  }
  const flow = flowName === undefined ? undefined : await readFlow(ctx, flowName);
  const environment = environmentName === undefined ? undefined : await findPhysical(ctx, environmentName);
  const fingerprint = await findFingerprint(ctx, prefix, { field: 'fingerprint', flow, environment });
  if (fingerprint === undefined) throw notFound('Artifact', prefix);
  const reported = await listNewestByFlow(ctx, fingerprint, flow?.id);
  const isUnknown = reported.length === 0;
  if (isUnknown && flow) throw notFound('Artifact', fingerprint);
  const artifacts = await judgeArtifacts(ctx, reported);
  const found = { fingerprint, artifacts };
  if (environment) return { ...(await inEnvironment(ctx, fingerprint, environment)), ...found };
  if (policyNames.length > 0) return { ...(await byPolicies(ctx, fingerprint, policyNames)), ...found };
  if (isUnknown) throw notFound('Artifact', fingerprint);
  return { ...inFlows(artifacts), ...found };
}

async function findPhysical(ctx: Ctx, name: string): Promise<EnvironmentView> {
  const environment = await readEnvironment(ctx, name);
  await requirePhysical(ctx, environment, 'query.environment_name');
  return environment;
}

function inFlows(artifacts: readonly JudgedArtifact[]): Scoped {
  const failing = artifacts.filter(({ status }) => status.status !== 'COMPLIANT');
  const deciding = failing.length > 0 ? failing : artifacts;
  return {
    scope: 'flow',
    environment: null,
    compliance: failing.length > 0 ? 'non-compliant' : 'compliant',
    because: inBrief(deciding.map(({ status }) => status.explanation.because)),
    decisions: [],
    waiver: null,
  };
}

async function byPolicies(ctx: Ctx, fingerprint: string, policyNames: readonly string[]): Promise<Scoped> {
  const policies: AttachedPolicy[] = [];
  for (const policy of policyNames) policies.push(await findPolicyVersion(ctx, policy));
  const name = await findReportedName(ctx, fingerprint);
  if (name === undefined) throw notFound('Artifact', fingerprint);
  const decisions = await judgeByPolicies(ctx, policies, { name, fingerprint });
  const isCompliant = decisions.every(({ status }) => status === 'COMPLIANT');
  return {
    scope: 'policy',
    environment: null,
    compliance: isCompliant ? 'compliant' : 'non-compliant',
    because: whatTheySay(decisions),
    decisions,
    waiver: null,
  };
}

async function inEnvironment(ctx: Ctx, fingerprint: string, environment: EnvironmentView): Promise<Scoped> {
  const judged = await judgeArtifactNow(ctx, environment, fingerprint);
  if (!judged) throw notFound('Artifact', fingerprint);
  const { verdict, waiver } = judged;
  return {
    scope: 'environment',
    environment: environment.name,
    compliance: verdict.compliance,
    because: becauseOf(verdict, environment.name, waiver),
    decisions: verdict.decisions,
    waiver,
  };
}

function becauseOf({ compliance, decisions }: RunVerdict, environment: string, waiver: ActiveWaiver | null): string {
  if (compliance === 'unknown') return `No policy is attached to environment '${environment}', so nothing is judged.`;
  if (compliance !== 'waived' || !waiver) return whatTheySay(decisions);
  return `Waived by ${waiver.created_by}: ${waiver.description}`;
}

function whatTheySay(decisions: readonly Decision[]): string {
  const complaints = decisions.flatMap(({ judged }) => reasonTexts(judged.reasons));
  if (complaints.length > 0) return inBrief(complaints);
  return inBrief(
    decisions.map(({ policyName, policyVersion }) => `Policy '${policyName}' (version ${policyVersion}) is satisfied.`),
  );
}
