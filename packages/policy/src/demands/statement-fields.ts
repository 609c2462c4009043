import { z } from 'zod';

/** The fields of a rule that ask something of a signed statement, as a policy writes them. */

const PATTERN_MAX = 500;
const ALTERNATIVES_MAX = 20;
const PATTERN_FORM = `of 1 to ${PATTERN_MAX} characters without spaces, in which * is any text within one part and ** any text`;

function oneOrMore<T extends z.ZodType>(one: T, message: string) {
  return z.union([one, z.array(one).min(1, { error: message }).max(ALTERNATIVES_MAX, { error: message })], {
    error: ({ input }) => (input === undefined ? undefined : message),
  });
}

/** Each part says the same, as only the field is certain when there are several forms. */
function filled(message: string, form: RegExp) {
  return z.string({ error: message }).max(PATTERN_MAX, { error: message }).regex(form, { error: message });
}

const PATTERN = /^(?!.*\*\*\*)\S+$/;

function patterns(field: string) {
  const message = `"${field}" must be a pattern ${PATTERN_FORM}, or a list of 1 to ${ALTERNATIVES_MAX}.`;
  return oneOrMore(filled(message, PATTERN), message);
}

const PREDICATE_FORM = `"predicate_type" must be a predicate type, such as https://slsa.dev/provenance/v1, or a list of 1 to ${ALTERNATIVES_MAX}. It is compared as a whole.`;

export const PredicateTypes = oneOrMore(filled(PREDICATE_FORM, /^[^\s*]+$/), PREDICATE_FORM).meta({
  description: 'What the signed statement must be: its predicate type, or several of which one is enough.',
});

const SIGNER_FORM = `"signed_by" must be a key, such as {key: release}, or an identity with its issuer, such as {identity: "https://github.com/acme/web/.github/workflows/release.yml@refs/tags/*", issuer: "https://token.actions.githubusercontent.com"}, or a list of 1 to ${ALTERNATIVES_MAX}.`;

const SignedByOne = z
  .strictObject(
    {
      key: filled(SIGNER_FORM, /^.+$/).optional(),
      identity: filled(SIGNER_FORM, PATTERN).optional(),
      issuer: filled(SIGNER_FORM, /^https:\/\/[^\s*]+$/).optional(),
    },
    { error: ({ code }) => (code === 'invalid_type' ? SIGNER_FORM : undefined) },
  )
  .refine(({ key, identity, issuer }) => (key === undefined) === (identity !== undefined && issuer !== undefined), {
    error: SIGNER_FORM,
  })
  .refine(({ key, identity, issuer }) => key === undefined || (identity ?? issuer) === undefined, {
    error: SIGNER_FORM,
  })
  // What is refined above, for editors.
  .meta({
    anyOf: [
      { required: ['key'], maxProperties: 1 },
      { required: ['identity', 'issuer'], maxProperties: 2 },
    ],
  });

export const SignedBy = oneOrMore(SignedByOne, SIGNER_FORM).meta({
  description:
    'Who must have signed it: a trusted key by its name or ID, or a trusted identity by a pattern and its issuer.',
});
export type SignedBy = z.output<typeof SignedByOne>;

export const Builder = patterns('builder').meta({
  description: 'The builder that the signed provenance names, as a pattern or several.',
});

export const Source = z
  .strictObject(
    {
      repository: patterns('repository').optional().meta({
        description: 'The repository it was built from, such as https://github.com/acme/*, as a pattern or several.',
      }),
      ref: patterns('ref').optional().meta({
        description: 'The branch or tag it was built from, such as refs/tags/v*, as a pattern or several.',
      }),
      commit: z
        .literal('artifact', {
          error: ({ input }) =>
            input === undefined ? undefined : '"commit" must be "artifact": the commit with which it was reported.',
        })
        .optional()
        .meta({ description: 'That the provenance names the commit with which the artifact was reported.' }),
    },
    { error: ({ code }) => (code === 'invalid_type' ? SOURCE_FORM : undefined) },
  )
  .refine((source) => Object.values(source).some((part) => part !== undefined), {
    error: '"source" is empty: give it a repository, a ref, or a commit.',
  })
  .meta({ description: 'Where the signed provenance says that the source came from.' });
export type Source = z.output<typeof Source>;

const SOURCE_FORM =
  '"source" must have a repository, a ref, or a commit, such as {repository: "https://github.com/acme/*"}.';

const MATERIALS_FORM =
  '"materials" must have a list "allow", a list "deny", or both, such as {allow: ["pkg:docker/registry.example.com/**"]}.';

export const Materials = z
  .strictObject(
    {
      allow: patterns('allow').optional().meta({
        description: 'Each material of the signed provenance must match one of these patterns.',
      }),
      deny: patterns('deny').optional().meta({
        description: 'No material of the signed provenance may match any of these patterns.',
      }),
    },
    { error: ({ code }) => (code === 'invalid_type' ? MATERIALS_FORM : undefined) },
  )
  .refine(({ allow, deny }) => (allow ?? deny) !== undefined, { error: MATERIALS_FORM })
  .meta({ description: 'What the artifact may be built from, such as base images and sources.' });
export type Materials = z.output<typeof Materials>;

const RESULT_FORM = '"verification_result" must be PASSED, or a list of PASSED and WARNED.';

export const VerificationResult = oneOrMore(z.enum(['PASSED', 'WARNED'], { error: RESULT_FORM }), RESULT_FORM).meta({
  description: 'The result that a signed verification summary or test result must have. FAILED fails the rule.',
});

export const Verifier = patterns('verifier').meta({
  description: 'The verifier that the signed verification summary names, as a pattern or several.',
});
