import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const about = {
  operation: z.string(),
  subject: z.strictObject({ kind: z.string(), name: z.string() }),
  asked_by: z.string(),
  /** Of the stored request, which may be large. */
  request_sha256: z.string(),
};

export const changeRequestCreated = defineEntry({
  type: 'change_request.created',
  version: 1,
  summary: 'A change was requested that another person must approve',
  payload: z.strictObject({ ...about, expires_at: z.number().int() }),
});

export const changeRequestApproved = defineEntry({
  type: 'change_request.approved',
  version: 1,
  summary: 'A change was approved, and applied in the same transaction in the name of its requester',
  payload: z.strictObject(about),
});

export const changeRequestRefused = defineEntry({
  type: 'change_request.refused',
  version: 1,
  summary: 'A change was refused',
  payload: z.strictObject({ ...about, reason: z.string() }),
});

export const changeRequestWithdrawn = defineEntry({
  type: 'change_request.withdrawn',
  version: 1,
  summary: 'A change request was withdrawn by its requester',
  payload: z.strictObject(about),
});

export const changeRequestExpired = defineEntry({
  type: 'change_request.expired',
  version: 1,
  summary: 'A change request waited too long for approval, or its requester left the org or lost the required role',
  payload: z.strictObject({ ...about, because: z.enum(['time', 'asker']) }),
});
