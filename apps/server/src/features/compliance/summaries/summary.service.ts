import { hash } from 'node:crypto';
import { type Facts, type Summary, summaryOf } from '@waymark/verification-summary';
import type { Ctx } from '../../../platform/ctx.ts';
import { conflict } from '../../../platform/errors.ts';
import { apiUrl } from '../../../platform/http/links.ts';
import { VERSION } from '../../../platform/version.ts';
import type { Decision } from '../../runtime-verdicts/judge.service.ts';
import { assertArtifact, type Scoped } from '../assert/assert.service.ts';
import { readInputDigests, readPolicyDigests } from './summary.reads.ts';

interface Asked {
  readonly publicUrl: string;
  readonly orgName: string;
  /** A fingerprint, or the first digits of one. */
  readonly prefix: string;
  readonly environmentName: string;
}

/** More evidence than that is not listed; the policies and their decisions still are. */
const INPUTS_MAX = 1_000;

/** The verdict on an artifact in an environment now, as a statement for other tools. */
export async function summarize(ctx: Ctx, { publicUrl, orgName, prefix, environmentName }: Asked): Promise<Summary> {
  const question = { flowName: undefined, environmentName, policyNames: [] };
  const { fingerprint, artifacts, ...scoped } = await assertArtifact(ctx, prefix, question);
  const { compliance } = scoped;
  if (compliance === 'unknown')
    throw conflict(`No policy is attached to environment '${environmentName}', so there is no verdict to sign`);
  const resource = `${publicUrl}/${orgName}/environments/${environmentName}`;
  const policies = await policiesOf(ctx, scoped);
  return summaryOf({
    artifact: { name: artifacts[0]?.filename ?? '', fingerprint },
    verifier: publicUrl,
    verifierVersion: VERSION,
    at: ctx.now(),
    resource,
    policy: { uri: `${resource}/policies`, sha256: digestOfAll(policies) },
    inputs: await inputsOf(ctx, scoped, (id) => apiUrl(publicUrl, `/attestations/${orgName}?attestation_id=${id}`)),
    details: {
      compliance,
      because: scoped.because,
      org: orgName,
      environment: environmentName,
      policies,
      waiver: compliance === 'waived' ? (scoped.waiver?.id ?? null) : null,
    },
  });
}

type SummarizedPolicy = Facts['details']['policies'][number];

async function policiesOf(ctx: Ctx, { decisions }: Scoped): Promise<SummarizedPolicy[]> {
  const digests = await readPolicyDigests(ctx, decisions);
  return decisions.map(({ id, policyId, policyName, policyVersion, status }) => ({
    name: policyName,
    version: policyVersion,
    digest: { sha256: digests(policyId, policyVersion) },
    result: status === 'COMPLIANT' ? 'PASSED' : 'FAILED',
    decision: id,
  }));
}

/** So that anyone can compute it: a line for each policy, with its name, its version, and the digest of its text. */
function digestOfAll(policies: readonly SummarizedPolicy[]): string {
  const lines = policies.map(({ name, version, digest }) => `${name} ${version} ${digest.sha256}\n`).toSorted();
  return hash('sha256', lines.join(''));
}

async function inputsOf(ctx: Ctx, { decisions }: Scoped, uriOf: (id: string) => string): Promise<Facts['inputs']> {
  const ids = [...new Set(decisions.flatMap(attestationIds))].slice(0, INPUTS_MAX);
  const digests = await readInputDigests(ctx, ids);
  return digests.map(({ id, sha256 }) => ({ uri: uriOf(id), sha256 }));
}

function attestationIds({ judged }: Decision): string[] {
  return judged.ruleEvaluations.flatMap(({ resolutions }) =>
    resolutions.flatMap(({ context }) => {
      const id = context['attestation_id'];
      return typeof id === 'string' ? [id] : [];
    }),
  );
}
