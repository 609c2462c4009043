import { z } from 'zod';

const DECIDED_BY =
  '"decided_by" must have a role, a group, or both, such as { role: admin } or { group: Release managers }.';
const NOT_BY = '"not_by" must be a list of "author", "committer", or both.';
const DECIDERS_MAX = 100;
const GROUP_MAX_LENGTH = 256;

export const DecidedBy = z
  .strictObject({
    role: z.enum(['admin', 'member']).optional().meta({
      description: 'The role that the person must have had in the org. Admins are members, too.',
    }),
    group: z.string().min(1).max(GROUP_MAX_LENGTH).optional().meta({
      description: 'The group of the identity provider, by its display name, that the person must have been in.',
    }),
  })
  .refine(({ role, group }) => role !== undefined || group !== undefined, { error: DECIDED_BY })
  .meta({ description: 'Who must have recorded the decision, by the identity that Waymark authenticated.' });
export type DecidedBy = z.output<typeof DecidedBy>;

export const NotBy = z
  .array(z.enum(['author', 'committer'], { error: NOT_BY }), {
    error: ({ input }) => (input === undefined ? undefined : NOT_BY),
  })
  .min(1, { error: NOT_BY })
  .refine((people) => new Set(people).size === people.length, { error: NOT_BY })
  .meta({
    description:
      'People who wrote or committed what was built: their decision, or their approval of a pull request, does not count.',
  });
export type NotBy = z.output<typeof NotBy>;

export const MinDeciders = z.int().min(1).max(DECIDERS_MAX).meta({
  description:
    'Number of different identities that must have recorded a decision, over all names. Only with type "decision".',
});
