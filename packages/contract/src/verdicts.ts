import { z } from 'zod';
import { Unreadable } from './primitives.ts';

const JudgedRule = z.object({ type: z.string(), definition: z.record(z.string(), z.unknown()) });

export const PolicyEvaluation = z
  .object({
    policy_name: z.string(),
    policy_version: z.number().int(),
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT']),
    rule_evaluations: z.array(
      z.object({
        rule: JudgedRule,
        satisfied: z.boolean().nullable().meta({ description: 'Null if the rule does not apply' }),
        ignored: z.boolean(),
        resolutions: z
          .array(z.object({ type: z.string(), context: z.record(z.string(), z.unknown()) }))
          .meta({ description: 'Result of the rule in each flow' }),
      }),
    ),
    unreadable: Unreadable,
  })
  .meta({ id: 'PolicyEvaluation' });

export const IncomplianceReason = z
  .object({
    policy_name: z.string(),
    policy_version: z.number().int(),
    rule: JudgedRule,
    resolution: z.string().meta({ description: 'Result of the rule, such as `missing_attestation`' }),
    flow_name: z.string().nullable(),
    trail_name: z.string().nullable(),
    attestation_name: z.string().nullable(),
    message: z.string().meta({ description: 'The problem, in a sentence' }),
    fix: z.string().meta({ description: 'How to fix it' }),
  })
  .meta({ id: 'IncomplianceReason' });
