import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';
import { RecordedScope } from '../../../platform/journal/recorded-scope.ts';

const Claims = z.record(z.string(), z.string());

export const workloadIdentityAdded = defineEntry({
  type: 'workload_identity.added',
  version: 2,
  summary:
    'A workload identity was created: CI jobs can act as a service account if their token is from the ' +
    'issuer and has these claims. `scope` is the scope of their keys, null for none',
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
  summary: 'A workload identity was deleted; `keys_revoked` is the number of keys revoked with it',
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
    'The token of a CI job was exchanged for a key of the service account; `claims` are the verified ' +
    'claims that are stored, `jti` is the id of the token, made from its digest if it has none, `scope` is ' +
    'the scope of the key. The subject is the key',
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
  summary: 'An admin restored a suspended workload identity, which counts as created by them from now on',
  payload: z.strictObject({ name: z.string(), service_account: z.string() }),
});
