import { Role } from '@waymark/contract';
import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

/** An invitation is created, and then ends in one way. */
export function invitationSubject(id: string, seq: 1 | 2) {
  return { kind: 'invitation', id, seq };
}

export const invitationCreated = defineEntry({
  type: 'invitation.created',
  version: 1,
  summary: 'A person was invited to the org by email',
  payload: z.strictObject({ email: z.string(), role: Role, expires_at: z.number() }),
});

export const invitationRevoked = defineEntry({
  type: 'invitation.revoked',
  version: 1,
  summary:
    'An invitation was withdrawn, also because the invited member was changed, or was replaced by another ' +
    'one to the same address',
  payload: z.strictObject({ email: z.string(), reason: z.enum(['withdrawn', 'replaced']) }),
});

export const invitationAccepted = defineEntry({
  type: 'invitation.accepted',
  version: 1,
  summary: 'An invitation was accepted; `by` says whether the address or the code from the email was the proof',
  payload: z.strictObject({
    email: z.string(),
    role: Role,
    user_id: z.string(),
    login: z.string(),
    by: z.enum(['address', 'code']),
  }),
});
