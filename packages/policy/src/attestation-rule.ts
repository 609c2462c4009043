import { REQUIRABLE_KINDS } from '@waymark/attestation-kinds';
import { anyOf, didYouMean, inWords, quoted } from '@waymark/positioned-yaml';
import { z } from 'zod';
import { DecidedBy, MinDeciders, NotBy } from './demands/decider-fields.ts';
import { FindingsLimits } from './demands/findings.ts';
import { IssueStatus } from './demands/issue-status.ts';
import { LicenseRule } from './demands/licenses.ts';
import { MaxAge } from './demands/max-age.ts';
import {
  Builder,
  Materials,
  PredicateTypes,
  SignedBy,
  Source,
  VerificationResult,
  Verifier,
} from './demands/statement-fields.ts';
import { ExpressionText } from './expression/expression-text.ts';
import { TRUST_LEVELS } from './trust-level.ts';

const ATTESTATION_TYPES = [...REQUIRABLE_KINDS, '*'] as const;

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
  must_be_compliant: z.boolean().optional().meta({
    description:
      'Whether the evidence must also be compliant. If false, it is sufficient that it exists. The default is true, and false with `findings`, which decide instead.',
  }),
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
  max_age: MaxAge.optional(),
  findings: FindingsLimits.optional(),
  licenses: LicenseRule.optional(),
  predicate_type: PredicateTypes.optional(),
  signed_by: SignedBy.optional(),
  builder: Builder.optional(),
  source: Source.optional(),
  materials: Materials.optional(),
  verifier: Verifier.optional(),
  verification_result: VerificationResult.optional(),
  issue_status: IssueStatus.optional(),
  decided_by: DecidedBy.optional(),
  min_deciders: MinDeciders.optional(),
  not_by: NotBy.optional(),
});

/** Fields that make sense for some types only. */
const ONLY_WITH = {
  min_approvals: ['pull_request'],
  /** The types whose attachments may list findings. */
  findings: ['snyk', 'sbom', '*'],
  licenses: ['sbom', '*'],
  predicate_type: ['in_toto'],
  signed_by: ['in_toto'],
  builder: ['in_toto'],
  source: ['in_toto'],
  materials: ['in_toto'],
  verifier: ['in_toto'],
  verification_result: ['in_toto'],
  issue_status: ['jira'],
  decided_by: ['decision'],
  min_deciders: ['decision'],
  not_by: ['decision', 'pull_request'],
} as const satisfies Partial<Record<keyof z.output<typeof RuleFields>, readonly string[]>>;
const LIMITED_FIELDS = Object.entries(ONLY_WITH) as [keyof typeof ONLY_WITH, readonly string[]][];

// Also when a field has another mistake, so that all mistakes are reported at once.
export const AttestationRule = RuleFields.superRefine(refuseMisfits, { when: ({ value }) => isMapping(value) })
  .meta({
    // What `refuseMisfits` checks, for editors. An absent name passes `properties`, just as it means "*".
    dependentSchemas: Object.fromEntries(LIMITED_FIELDS.map(([field, types]) => [field, onlyWithTypes(types)])),
    not: { properties: { name: { const: '*' }, type: { const: '*' } }, required: ['type'] },
  })
  .transform((rule) => ({ ...rule, must_be_compliant: rule.must_be_compliant ?? rule.findings === undefined }));
export type AttestationRule = z.output<typeof AttestationRule>;

/** Ignores a missing or unknown type, which is a mistake of its own. */
function refuseMisfits(rule: z.output<typeof RuleFields>, ctx: z.core.$RefinementCtx): void {
  if (!AttestationType.safeParse(rule.type).success) return;
  const refuse = (field: string, message: string) => ctx.addIssue({ code: 'custom', path: [field], message });
  if (rule.name === '*' && rule.type === '*') refuse('type', 'Give the rule a name or a type; both cannot be "*".');
  for (const [field, types] of LIMITED_FIELDS) {
    if (rule[field] === undefined || types.includes(rule.type)) continue;
    const allowed = types.map((type) => `"${type}"`).join(' or ');
    refuse(field, `"${field}" is only allowed with type ${allowed}, not "${rule.type}".`);
  }
  if (rule.type === 'pull_request' && rule.not_by !== undefined && rule.min_approvals === undefined)
    refuse(
      'not_by',
      '"not_by" with type "pull_request" requires "min_approvals", the number of approvals without them.',
    );
  if (rule.type === 'decision' && (rule.min_deciders ?? 1) > 1 && rule.name !== '*')
    refuse(
      'min_deciders',
      '"min_deciders" above 1 requires name "*", because only the newest decision of a name counts.',
    );
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeMessage(input: unknown): string {
  const types = anyOf([...ATTESTATION_TYPES, 'custom:<name>']);
  const suggestion = typeof input === 'string' ? didYouMean(input, ATTESTATION_TYPES) : '';
  return `"type" must be one of ${types}, not ${inWords(input)}.${suggestion}`;
}

function onlyWithTypes(types: readonly string[]) {
  return { properties: { type: { enum: types } } };
}
