import { inWords, quoted } from '@waymark/positioned-yaml';
import { z } from 'zod';
import { AttestationType } from './attestation-type.ts';

export const AttestationName = name(/^[a-zA-Z0-9\-_,]+$/, 'letters, digits, "-", "_" and ","');
const ArtifactName = name(/^[a-zA-Z0-9\-_]+$/, 'letters, digits, "-" and "_"');

const FAILS_AT = ['error', 'warning', 'note'] as const;

const FailsAt = z
  .enum(FAILS_AT, {
    error: ({ input }) => `"fails_at" must be error, warning or note, not ${inWords(input)}.`,
  })
  .meta({
    description:
      'Only with type snyk: findings of this level or worse fail. It can make the level of the org stricter, but not less strict.',
  });

export const TemplateAttestation = z
  .strictObject({
    name: AttestationName.meta({ description: 'The name under which the evidence is reported.' }),
    type: AttestationType,
    fails_at: FailsAt.optional(),
  })
  .superRefine(refuseLevelWithoutFindings, { when: ({ value }) => typeof value === 'object' && value !== null });
export type TemplateAttestation = z.output<typeof TemplateAttestation>;

export const TemplateArtifact = z.strictObject({
  name: ArtifactName.meta({ description: 'Name of the artifact in this flow, independent of its file name.' }),
  attestations: listOf(TemplateAttestation).meta({
    description: 'Evidence that is required about this artifact. No two entries may share a name.',
  }),
});
export type TemplateArtifact = z.output<typeof TemplateArtifact>;

const TemplateTrail = z.strictObject({
  attestations: listOf(TemplateAttestation).meta({
    description: 'Evidence that is required about the trail as a whole. No two entries may share a name.',
  }),
  artifacts: listOf(TemplateArtifact).meta({
    description: 'The artifacts that a trail must produce. No two entries may share a name.',
  }),
});

export const Template = z
  .strictObject({
    version: z.literal(1).default(1).meta({ description: 'The version of this format; there is only 1.' }),
    trail: TemplateTrail.nullish()
      .transform((trail) => trail ?? { attestations: [], artifacts: [] })
      .meta({ description: 'What each trail of the flow must contain. Omit it to require nothing.' }),
  })
  .meta({
    title: 'Flow template',
    description: 'The evidence and the artifacts that every trail of a flow must have.',
  });
export type Template = z.output<typeof Template>;

/** The template's shape for editors. It cannot say that names must differ, or which types have findings; the parser can. */
export function templateJsonSchema(id: string): z.core.JSONSchema.BaseSchema {
  return { ...z.toJSONSchema(Template, { target: 'draft-2020-12', io: 'input' }), $id: id };
}

function name(pattern: RegExp, letters: string) {
  return z.string().regex(pattern, {
    error: ({ input }) =>
      input === '' ? 'A name must not be empty.' : `${quoted(String(input))} is not a name; use only ${letters}.`,
  });
}

function listOf<T extends z.ZodType>(entry: T) {
  // Also when an entry has another mistake, so that all mistakes are reported at once.
  return z
    .array(entry)
    .superRefine(refuseRepeats, { when: ({ value }) => Array.isArray(value) })
    .default(() => []);
}

/** Also when another key of the entry is wrong, so that all mistakes are reported at once. */
function refuseLevelWithoutFindings(entry: { type?: unknown; fails_at?: unknown }, ctx: z.core.$RefinementCtx): void {
  if (entry.fails_at === undefined || entry.type === 'snyk') return;
  const message = '"fails_at" is only for type snyk, which has findings; remove it.';
  ctx.addIssue({ code: 'custom', path: ['fails_at'], message });
}

const Named = z.object({ name: AttestationName });

function refuseRepeats(entries: readonly unknown[], ctx: z.core.$RefinementCtx): void {
  const firstIndex = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const named = Named.safeParse(entry).data;
    if (!named) continue;
    const first = firstIndex.get(named.name);
    if (first === undefined) {
      firstIndex.set(named.name, index);
      continue;
    }
    const message = `The name ${quoted(named.name)} is taken by entry ${first + 1} of this list; choose another.`;
    ctx.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
}
