import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';
import { RecordedScope } from '../../../platform/journal/recorded-scope.ts';

const Claims = z.record(z.string(), z.string());

export const workloadIdentityAdded = defineEntry({
  type: 'workload_identity.added',
  version: 2,
  summary:
    'Jobs of a CI system may act as a service account, if their token is from the issuer and has these claims. `scope` ' +
    'is what their keys are limited to, null for nothing',
  payload: z.strictObject({
    name: z.string(),
    service_account: z.string(),
    issuer: z.string(),
    claims: Claims,
    scope: RecordedScope,
  }),
});

export const workloadIdentityRemoved = defineEntry({
  type: 'workload_identity.removed',
  version: 1,
  summary: 'Jobs may no longer act as a service account; `keys_revoked` counts the keys that ended with it',
  payload: z.strictObject({
    name: z.string(),
    service_account: z.string(),
    issuer: z.string(),
    keys_revoked: z.number().int(),
  }),
});

export const workloadIdentityExchanged = defineEntry({
  type: 'workload_identity.exchanged',
  version: 2,
  summary:
    'The token of a job was exchanged for a key of the service account; `claims` are those verified ones that are kept, ' +
    '`jti` is the id of the token, `scope` is what the key is limited to. The subject is the key',
  payload: z.strictObject({
    workload_identity: z.strictObject({ id: z.string(), name: z.string() }),
    service_account: z.string(),
    issuer: z.string(),
    subject: z.string(),
    jti: z.string(),
    claims: Claims,
    expires_at: z.number(),
    scope: RecordedScope,
  }),
});

export const workloadIdentityRestored = defineEntry({
  type: 'workload_identity.restored',
  version: 1,
  summary: 'An admin ended the suspension of a workload identity, which counts as made by them from now on',
  payload: z.strictObject({ name: z.string(), service_account: z.string() }),
});
