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
  summary: 'Somebody was invited to the org by mail',
  payload: z.strictObject({ email: z.string(), role: Role, expires_at: z.number() }),
});

export const invitationRevoked = defineEntry({
  type: 'invitation.revoked',
  version: 1,
  summary:
    'An invitation was withdrawn, also by a change of the invited member, or another one of the same address took its place',
  payload: z.strictObject({ email: z.string(), reason: z.enum(['withdrawn', 'replaced']) }),
});

export const invitationAccepted = defineEntry({
  type: 'invitation.accepted',
  version: 1,
  summary: 'An invitation was accepted; `by` says whether the address or the code of the mail was the proof',
  payload: z.strictObject({
    email: z.string(),
    role: Role,
    user_id: z.string(),
    login: z.string(),
    by: z.enum(['address', 'code']),
  }),
});
