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
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the id of an allow-listing')
  .meta({ description: 'Id of an allow-listing' });

export const SimulationInput = z
  .strictObject({
    policy_yaml: z.string().nullish().meta({ description: 'A policy, YAML of at most 64 KiB, which is not stored' }),
    replaces: PolicyName.nullish().meta({
      description: 'With `policy_yaml`: the policy whose place the text takes wherever that judged',
    }),
    policy_name: PolicyName.nullish().meta({ description: 'A stored policy, in place of a text' }),
    policy_version: z
      .number()
      .int()
      .min(1)
      .max(2_147_483_647)
      .nullish()
      .meta({ description: 'With `policy_name`: the version to judge by; the newest unless given' }),
    alone: z
      .boolean()
      .nullish()
      .meta({ description: 'Judge by this policy only, and leave out what the attached ones decided' }),
    environments: z
      .array(EnvironmentName)
      .min(1)
      .max(SIMULATED_ENVIRONMENTS_MAX)
      .nullish()
      .meta({ description: 'Names of environments, none of them logical; all of the org unless given' }),
    from_timestamp: Moment.nullish().meta({
      description: 'Begin of the span in seconds since 1970; 30 days before its end unless given',
    }),
    to_timestamp: Moment.nullish().meta({ description: 'End of the span in seconds since 1970; now unless given' }),
    without_allow_listing: z
      .union(
        [WaiverId, z.array(WaiverId).min(1).max(100)],
        'must be the id of an allow-listing, or a list of up to 100',
      )
      .nullish()
      .meta({ description: 'What it lets pass is judged without it: one id or a list of them' }),
  })
  .meta({
    id: 'SimulationInput',
    description: 'Needs `policy_yaml`, `policy_name` or `without_allow_listing`',
    examples: [{ policy_yaml: POLICY_EXAMPLE }],
  });
export type SimulationInput = z.infer<typeof SimulationInput>;

const Flip = z
  .object({
    environment: z.string(),
    snapshot_index: Count.meta({ description: 'The first snapshot of the span in which it would be otherwise' }),
    until_index: Count.nullable().meta({
      description: 'The first snapshot in which that does not hold any more; null if it does to the end of the span',
    }),
    timestamp: EpochSeconds.meta({ description: 'When that first snapshot was made, which may be before the span' }),
    artifact: z.object({
      name: z.string(),
      fingerprint: z.string().meta({ description: 'Empty when it is not known what runs under the name' }),
    }),
    from: RunCompliance.meta({ description: 'What was recorded' }),
    to: RunCompliance.meta({ description: 'What it would have been' }),
    evidence: z.enum(['recorded', 'present']).meta({
      description: '`recorded`: what was known then. `present`: nothing was judged then, so what is known now',
    }),
    reasons: z.array(IncomplianceReason).meta({
      description:
        'Why it would not be compliant, as in `reasons_for_incompliance` of a snapshot; empty when it would be. A text ' +
        'that is not stored has version 0, and the name `simulated` if it replaces nothing',
    }),
  })
  .meta({ id: 'SimulatedFlip' });
export type Flip = z.infer<typeof Flip>;

const SimulatedEnvironment = z
  .object({
    environment: z.string(),
    snapshots: Count.meta({
      description: 'How many were looked at: all that were the latest at some time of the span',
    }),
    would_fail: Count.meta({ description: 'In how many of them something would not have been compliant' }),
    fails_now: Count.meta({ description: 'In how many of them something was not compliant, as they are recorded' }),
  })
  .meta({ id: 'SimulatedEnvironment' });
export type SimulatedEnvironment = z.infer<typeof SimulatedEnvironment>;

export const Simulation = z
  .object({
    flips: z.array(Flip).meta({ description: 'By environment as asked for, then by snapshot and name' }),
    evaluated: Count.meta({
      description: 'How many verdicts were compared, each of an artifact for as long as nothing changed about it',
    }),
    span: z.object({ from: EpochSeconds, to: EpochSeconds }),
    environments: z.array(SimulatedEnvironment),
    truncated: z.boolean().meta({ description: 'True if it was too much for one answer' }),
    stopped_at: z
      .object({ environment: z.string(), snapshot_index: Count })
      .nullable()
      .meta({
        description:
          'If truncated: the first snapshot that was not looked at. Nothing of it, of later ones in this environment and ' +
          'of the environments after it is in the answer',
      }),
  })
  .meta({ id: 'Simulation' });
export type Simulation = z.infer<typeof Simulation>;

export const simulatePolicy = contract({
  id: 'simulatePolicy',
  summary: 'Try a policy on what ran',
  description:
    'Tells which verdicts of the past would have been others, and stores nothing. Each artifact of each snapshot is ' +
    'judged again on the evidence that was recorded with its verdict. Where none was recorded, because nothing was ' +
    'attached to the environment then, it is judged on the evidence of now. Names and tags of environments are those of ' +
    'now as well.\n\n' +
    'The policy is tried as if it had been attached: it judges together with the policies that were attached then, whose ' +
    'decisions stay as they are recorded, and all must be met. Where it judged itself, as the one that is named in ' +
    '`policy_name` or in `replaces`, its new decision takes the place of the old one. With `alone` the decisions of other ' +
    'policies do not count. Without a policy all recorded decisions stay. An allow-listing counts in the snapshots that ' +
    'were made while it stood, unless it is in `without_allow_listing`.\n\n' +
    'A flip is an artifact that would have been otherwise, told once for as long as it lasts. What was never judged and ' +
    'would have been compliant is no flip.\n\n' +
    'The span is 400 days at most. After a minute, or with 10,000 flips, the answer says how far it came. When several ' +
    'simulations of the org are running already, it is 503. With ' +
    '`Accept: application/x-ndjson` the answer is in lines of JSON: first `{"progress":{"environment","done","of"}}`, ' +
    'which counts snapshots, and the answer itself in the last line. An `Idempotency-Key` means nothing here.',
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
