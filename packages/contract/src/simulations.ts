import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentName } from './environments.ts';
import { OrgParams } from './evidence.ts';
import { POLICY_EXAMPLE, PolicyName } from './policies.ts';
import { EpochSeconds, LATEST_SECOND, NO_MILLISECONDS } from './primitives.ts';
import { RunCompliance } from './snapshots.ts';
import { IncomplianceReason } from './verdicts.ts';

export const SIMULATED_ENVIRONMENTS_MAX = 100;
export const SIMULATED_DAYS_MAX = 400;

const Count = z.number().int();
const Moment = z.number().min(0).max(LATEST_SECOND, NO_MILLISECONDS);
const WaiverId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the id of a waiver')
  .meta({ description: 'Id of a waiver' });

export const SimulationInput = z
  .strictObject({
    policy_yaml: z
      .string()
      .nullish()
      .meta({ description: 'The policy to test, in YAML, at most 64 KiB; it is not stored' }),
    replaces: PolicyName.nullish().meta({
      description: 'With `policy_yaml`: the policy that the text replaces wherever it was attached',
    }),
    policy_name: PolicyName.nullish().meta({ description: 'Name of a stored policy, instead of `policy_yaml`' }),
    policy_version: z
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .nullish()
      .meta({ description: 'With `policy_name`: the version to test. Default: the newest' }),
    alone: z
      .boolean()
      .nullish()
      .meta({ description: 'Judge by this policy only, and ignore the decisions of attached policies' }),
    environments: z
      .array(EnvironmentName)
      .min(1)
      .max(SIMULATED_ENVIRONMENTS_MAX)
      .nullish()
      .meta({ description: 'Names of environments, none of them logical. Default: all of the org' }),
    from_timestamp: Moment.nullish().meta({
      description: 'Start of the period, in seconds since 1970. Default: 30 days before its end',
    }),
    to_timestamp: Moment.nullish().meta({ description: 'End of the period, in seconds since 1970. Default: now' }),
    without_allow_listing: z
      .union([WaiverId, z.array(WaiverId).min(1).max(100)], 'must be the id of a waiver, or a list of up to 100')
      .nullish()
      .meta({ description: 'Judge without these waivers: one id or a list of ids' }),
  })
  .meta({
    id: 'SimulationInput',
    description: 'Requires `policy_yaml`, `policy_name`, or `without_allow_listing`',
    examples: [{ policy_yaml: POLICY_EXAMPLE }],
  });
export type SimulationInput = z.infer<typeof SimulationInput>;

const Flip = z
  .object({
    environment: z.string(),
    snapshot_index: Count.meta({ description: 'The first snapshot of the period with a different verdict' }),
    until_index: Count.nullable().meta({
      description: 'The first snapshot after that with the recorded verdict again; null if there is none in the period',
    }),
    timestamp: EpochSeconds.meta({ description: 'When that first snapshot was created, possibly before the period' }),
    artifact: z.object({
      name: z.string(),
      fingerprint: z.string().meta({ description: 'Empty if the running artifact is not identified' }),
    }),
    from: RunCompliance.meta({ description: 'The recorded verdict' }),
    to: RunCompliance.meta({ description: 'The verdict of the back-test' }),
    evidence: z.enum(['recorded', 'present']).meta({
      description:
        '`recorded`: judged by the evidence of that time. `present`: nothing was judged at that time, ' +
        'so judged by current evidence',
    }),
    reasons: z.array(IncomplianceReason).meta({
      description:
        'Reasons for non-compliance, as in `reasons_for_incompliance` of a snapshot; empty if compliant. A policy ' +
        'that is not stored has version 0, and the name `simulated` if it replaces none',
    }),
  })
  .meta({ id: 'SimulatedFlip' });
export type Flip = z.infer<typeof Flip>;

const SimulatedEnvironment = z
  .object({
    environment: z.string(),
    snapshots: Count.meta({
      description: 'Number of snapshots in the back-test: all that were the latest at some time of the period',
    }),
    would_fail: Count.meta({ description: 'Number of snapshots that would not have been compliant' }),
    fails_now: Count.meta({ description: 'Number of snapshots recorded as not compliant' }),
  })
  .meta({ id: 'SimulatedEnvironment' });
export type SimulatedEnvironment = z.infer<typeof SimulatedEnvironment>;

export const Simulation = z
  .object({
    flips: z.array(Flip).meta({ description: 'Sorted by environment as requested, then by snapshot and name' }),
    evaluated: Count.meta({
      description: 'Number of compared verdicts, each of one artifact for as long as nothing changed about it',
    }),
    span: z.object({ from: EpochSeconds, to: EpochSeconds }),
    environments: z.array(SimulatedEnvironment),
    truncated: z.boolean().meta({ description: 'True if the result was cut' }),
    stopped_at: z
      .object({ environment: z.string(), snapshot_index: Count })
      .nullable()
      .meta({
        description:
          'If truncated: the first snapshot that was not tested. The result contains nothing about it, later ' +
          'snapshots of this environment, or the environments after it',
      }),
  })
  .meta({ id: 'Simulation' });
export type Simulation = z.infer<typeof Simulation>;

export const simulatePolicy = contract({
  id: 'simulatePolicy',
  summary: 'Back-test a policy',
  description:
    'Returns the past verdicts that would have been different, and stores nothing. Each artifact of each snapshot ' +
    'is judged again by the evidence that was recorded with its verdict. If none was recorded, because no policy ' +
    'was attached at that time, it is judged by current evidence. Names and tags of environments are also the ' +
    'current ones.\n\nThe policy is tested as if it had been attached: it judges together with the policies ' +
    'attached at that time, whose recorded decisions are kept, and all must be satisfied. If it was itself ' +
    'attached, as the policy named in `policy_name` or `replaces`, its new decision replaces the recorded one. ' +
    'With `alone`, the decisions of other policies do not count. Without a policy, all recorded decisions are ' +
    'kept. A waiver counts in the snapshots created while it was active, unless it is in `without_allow_listing`.\n\n' +
    'A flip is an artifact whose verdict would have been different; it is listed once for as long as it lasts. An ' +
    'artifact that was never judged and would have been compliant is not a flip.\n\nThe period is at most 400 days. ' +
    'After one minute, or after 10,000 flips, the result is truncated. If several back-tests of the org are ' +
    'already running, answers 503. With `Accept: application/x-ndjson`, the response consists of JSON lines: ' +
    'first `{"progress":{"environment","done","of"}}`, which counts snapshots, then the result in the last line. ' +
    'An `Idempotency-Key` has no effect.',
  tag: 'Policies',
  method: 'POST',
  path: '/policies/:org/simulate',
  access: 'read',
  params: OrgParams,
  body: SimulationInput,
  status: 200,
  reply: Simulation,
  alsoAs: 'application/x-ndjson',
  errors: [400, 401, 403, 404, 413, 429, 503],
});
