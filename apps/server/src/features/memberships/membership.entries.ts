import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const memberSources = ['app', 'scim', 'invitation', 'script'] as const;
export type MemberSource = (typeof memberSources)[number];

const Member = { user_id: z.string(), login: z.string(), source: z.enum(memberSources) };

export const membershipAdded = defineEntry({
  type: 'membership.added',
  version: 2,
  summary: 'A user became a member of the org; `source` says how',
  payload: z.strictObject({ ...Member, role: Role }),
});

export const membershipChanged = defineEntry({
  type: 'membership.changed',
  version: 1,
  summary: 'The role of a member was changed',
  payload: z.strictObject({ ...Member, role: Role, previous_role: Role }),
});

export const membershipRemoved = defineEntry({
  type: 'membership.removed',
  version: 1,
  summary: 'A user is no longer a member of the org',
  payload: z.strictObject({ ...Member, previous_role: Role }),
});
