import { REQUIRABLE_KINDS } from '@waymark/attestation-kinds';
import { anyOf, didYouMean, inWords, quoted } from '@waymark/positioned-yaml';
import { z } from 'zod';
import { ExpressionText } from './expression/expression-text.ts';

const ATTESTATION_TYPES = [...REQUIRABLE_KINDS, '*'] as const;

/** Weakest first: each level includes those before it. */
export const TRUST_LEVELS = ['claimed', 'api_key', 'workload_identity', 'signature'] as const;

const AttestationType = z.union(
  [z.enum(ATTESTATION_TYPES), z.templateLiteral(['custom:', z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_~]*$/)])],
  { error: ({ input }) => (input === undefined ? undefined : typeMessage(input)) },
);

const RuleFields = z.strictObject({
  name: z
    .string()
    .regex(/^(\*|[a-zA-Z0-9\-_,]+)$/, {
      error: ({ input }) =>
        `${quoted(String(input))} is not a valid evidence name; use letters, digits, "-", "_", and ",", or "*" for any.`,
    })
    .default('*')
    .meta({ description: 'The name of the evidence; "*" is any name.' }),
  type: AttestationType.meta({
    description: 'The kind of evidence; "*" is any kind, if the rule gives a name.',
  }),
  if: ExpressionText.optional().meta({ description: 'The rule applies only where this expression is true.' }),
  must_be_compliant: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether the evidence must also be compliant. If false, it is sufficient that it exists.' }),
  for_control: z
    .string()
    .max(256)
    .regex(/^[a-zA-Z0-9\-._~]+$/, { error: '"for_control" must be the identifier of a control.' })
    .optional()
    .meta({
      description:
        'The control that this evidence is for. With type "decision", the control that the decision must be about.',
    }),
  min_approvals: z.int().min(1).optional().meta({
    description: 'Number of people, none of them an author, who must approve. Only with type "pull_request".',
  }),
  min_trust: z
    .enum(TRUST_LEVELS)
    .optional()
    .meta({ description: 'How the origin of the evidence must be verified, from a mere claim to a signature.' }),
});

// Also when a field has another mistake, so that all mistakes are reported at once.
export const AttestationRule = RuleFields.superRefine(refuseMisfits, { when: ({ value }) => isMapping(value) }).meta({
  // What `refuseMisfits` checks, for editors. An absent name passes `properties`, just as it means "*".
  dependentSchemas: { min_approvals: onlyWithType('pull_request') },
  not: { properties: { name: { const: '*' }, type: { const: '*' } }, required: ['type'] },
});
export type AttestationRule = z.output<typeof AttestationRule>;

/** Ignores a missing or unknown type, which is a mistake of its own. */
function refuseMisfits(rule: z.output<typeof RuleFields>, ctx: z.core.$RefinementCtx): void {
  if (!AttestationType.safeParse(rule.type).success) return;
  const refuse = (field: string, message: string) => ctx.addIssue({ code: 'custom', path: [field], message });
  if (rule.name === '*' && rule.type === '*') refuse('type', 'Give the rule a name or a type; both cannot be "*".');
  if (rule.min_approvals !== undefined && rule.type !== 'pull_request') {
    refuse('min_approvals', `"min_approvals" is only allowed with type "pull_request", not "${rule.type}".`);
  }
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeMessage(input: unknown): string {
  const types = anyOf([...ATTESTATION_TYPES, 'custom:<name>']);
  const suggestion = typeof input === 'string' ? didYouMean(input, ATTESTATION_TYPES) : '';
  return `"type" must be one of ${types}, not ${inWords(input)}.${suggestion}`;
}

function onlyWithType(type: string) {
  return { properties: { type: { const: type } } };
}
