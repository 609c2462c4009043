import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentParams } from './environments.ts';
import { POLICY_NAME_EXAMPLE } from './policies.ts';
import { EpochSeconds, text } from './primitives.ts';

export const REPORT_ONLY_PER_ENVIRONMENT = 20;

/** Running artifacts that are evaluated for one answer. */
export const REPORT_ONLY_ARTIFACTS = 1_000;

const ReportOnlySelection = z
  .strictObject({
    policy_names: z
      .array(text(255))
      .min(1)
      .max(REPORT_ONLY_PER_ENVIRONMENT)
      .meta({ description: 'Names of policies', examples: [[POLICY_NAME_EXAMPLE]] }),
  })
  .meta({ id: 'ReportOnlySelection' });

const ReportOnlyPolicy = z
  .object({
    policy_name: z.string(),
    version: z.number().int(),
    attached_at: EpochSeconds,
    attached_by: z.string(),
    status: z.enum(['compliant', 'non-compliant']).meta({
      description:
        'What the policy would make of the environment if it were enforced; waived artifacts count as compliant',
    }),
    compliant_count: z.number().int(),
    non_compliant_count: z.number().int(),
    waived_count: z.number().int().meta({ description: 'Non-compliant artifacts with a waiver' }),
    failing: z
      .array(z.object({ fingerprint: z.string(), artifact_name: z.string(), reasons: z.array(z.string()) }))
      .meta({ description: 'Non-compliant artifacts without a waiver, by name; at most 50' }),
    actions: z
      .array(z.object({ fix: z.string(), artifact_count: z.number().int() }))
      .meta({ description: 'What to do to satisfy the policy, most helpful first; at most 20' }),
  })
  .meta({ id: 'ReportOnlyPolicy' });
export type ReportOnlyPolicy = z.infer<typeof ReportOnlyPolicy>;

export const listReportOnlyPolicies = contract({
  id: 'listReportOnlyPolicies',
  summary: 'Evaluate the report-only policies of an environment',
  description:
    'Evaluates what runs now, at most 1,000 artifacts. The result changes no verdict: not that of the environment, its ' +
    'snapshots, or its artifacts, and no notification is sent.',
  tag: 'Environments',
  method: 'GET',
  path: '/environments/:org/:env_name/report-only-policies',
  access: 'read',
  params: EnvironmentParams,
  status: 200,
  reply: z
    .object({
      environment: z.string(),
      evaluated_at: EpochSeconds,
      artifact_count: z.number().int().meta({ description: 'Number of evaluated artifacts' }),
      is_cut: z.boolean().meta({ description: 'Whether more artifacts run than were evaluated' }),
      policies: z.array(ReportOnlyPolicy).meta({ description: 'By name' }),
    })
    .meta({ id: 'ReportOnlyPolicies' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const attachReportOnlyPolicies = contract({
  id: 'attachReportOnlyPolicies',
  summary: 'Attach policies to an environment as report-only',
  description:
    'A report-only policy is evaluated and explained, and changes no verdict. Attaching one again changes nothing and ' +
    'succeeds. A policy that is enforced in the environment is refused. An environment can have at most 20 report-only ' +
    'policies; a logical one has none.',
  tag: 'Environments',
  method: 'POST',
  path: '/environments/:org/:env_name/report-only-policies',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: ReportOnlySelection,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const detachReportOnlyPolicies = contract({
  id: 'detachReportOnlyPolicies',
  summary: 'Detach report-only policies from an environment',
  description: 'Detaching a policy that is not attached as report-only changes nothing and succeeds.',
  tag: 'Environments',
  method: 'DELETE',
  path: '/environments/:org/:env_name/report-only-policies',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: ReportOnlySelection,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});

export const promotePolicies = contract({
  id: 'promotePolicies',
  summary: 'Enforce report-only policies of an environment',
  description:
    'The policies become attached policies, and running artifacts are re-evaluated immediately. Promoting a policy that ' +
    'is enforced already changes nothing and succeeds; one that is not attached at all is refused. Attaching a ' +
    'report-only policy with `POST /environments/{org}/{env_name}/policies` enforces it as well.',
  tag: 'Environments',
  method: 'POST',
  path: '/environments/:org/:env_name/report-only-policies/promote',
  access: 'manage_environments',
  dryRun: true,
  params: EnvironmentParams,
  body: ReportOnlySelection,
  status: 200,
  reply: z.string(),
  errors: [400, 401, 403, 404, 413, 429, 503],
});
