import { REQUIRABLE_KINDS } from '@waymark/attestation-kinds';
import { didYouMean, inWords, quoted } from '@waymark/positioned-yaml';
import { z } from 'zod';

export const ATTESTATION_TYPES = [...REQUIRABLE_KINDS, '*'] as const;

const CustomType = z.templateLiteral(['custom:', z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_~]*$/)]);

export const AttestationType = z
  .union([z.enum(ATTESTATION_TYPES), CustomType], {
    error: ({ input }) => (input === undefined ? undefined : typeMessage(input)),
  })
  .meta({
    description: 'The kind of evidence: a built-in type, "custom:" and the name of a custom type, or "*" for any kind.',
  });
export type AttestationType = z.output<typeof AttestationType>;

function typeMessage(input: unknown): string {
  if (typeof input !== 'string') return `"type" must be the name of an attestation type, not ${inWords(input)}.`;
  if (input.startsWith('custom:')) {
    const rule = 'starts with a letter or digit, then letters, digits, "-", "_" and "~"';
    return `${quoted(input)} does not name a custom type; the name after "custom:" ${rule}.`;
  }
  const types = `${ATTESTATION_TYPES.join(', ')} or custom:<name>`;
  return `Unknown attestation type ${quoted(input)}; use one of ${types}.${didYouMean(input, ATTESTATION_TYPES)}`;
}
