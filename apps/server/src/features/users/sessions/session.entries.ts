import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

const Session = z.strictObject({
  user_id: z.string(),
  method: z.enum(['link', 'sso', 'set_up']),
  only_org: z.string().nullable(),
});

export const sessionOpened = defineEntry({
  type: 'session.opened',
  version: 1,
  summary: 'A user signed in; recorded in the personal org and in the org whose identity provider vouched for them',
  payload: Session,
});

export const sessionRevoked = defineEntry({
  type: 'session.revoked',
  version: 1,
  summary: 'A user signed out, or ended one of their sessions',
  payload: Session,
});
