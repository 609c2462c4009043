import { z } from 'zod';
import { AttestationRule } from './attestation-rule.ts';
import { ExpressionText } from './expression/expression-text.ts';

const MISSING_SCHEMA = '"_schema" is missing; add a line such as _schema: https://example.com/policy/v1.';

/** Each decision lists each rule, and there is one for each running artifact. */
export const RULES_MAX = 200;

const Exception = z.strictObject({
  if: ExpressionText.meta({ description: 'The requirement is waived where this expression is true.' }),
});

const Provenance = requirement('Whether every artifact must have been reported to a flow.');
const TrailCompliance = requirement('Whether the trail that an artifact comes from must be compliant.');

export const PolicyDocument = z
  .strictObject({
    _schema: z
      .string({ error: ({ input }) => (input === undefined ? MISSING_SCHEMA : undefined) })
      .regex(/^https?:\/\/[^\s/?#]+(\/[^\s/?#]+)*\/v1$/, {
        error: '"_schema" must be a URL whose last part is "v1", the version of this format.',
      })
      .meta({ description: 'The address of this format, which ends in its version, "/v1".' }),
    artifacts: z
      .strictObject({
        provenance: Provenance.meta({ description: 'The provenance of artifacts.' }),
        'trail-compliance': TrailCompliance.meta({ description: 'The state of the trail that built the artifact.' }),
        attestations: z
          .array(AttestationRule)
          .max(RULES_MAX, { error: `"attestations" may have at most ${RULES_MAX} rules; split the policy.` })
          .default(() => [])
          .meta({ description: 'Evidence that every artifact must have.' }),
      })
      .prefault({})
      .meta({ description: 'The requirements of every artifact that runs in the environment.' }),
  })
  .meta({
    title: 'Environment policy',
    description: 'The requirements that artifacts must satisfy to be compliant in an environment.',
  });
export type PolicyDocument = z.output<typeof PolicyDocument>;

export function policyJsonSchema(id: string): z.core.JSONSchema.BaseSchema {
  return { ...z.toJSONSchema(PolicyDocument, { target: 'draft-2020-12', io: 'input' }), $id: id };
}

function requirement(description: string) {
  return z
    .strictObject({
      required: z.boolean().default(false).meta({ description }),
      exceptions: z
        .array(Exception)
        .max(RULES_MAX, {
          error: `"exceptions" may have at most ${RULES_MAX} entries; put several into one condition.`,
        })
        .default(() => [])
        .meta({ description: 'Where the requirement does not apply.' }),
    })
    .prefault({});
}
