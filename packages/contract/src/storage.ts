import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';

/** From this share of a quota on, admins are warned. */
export const STORAGE_WARNING_PERCENT = 80;

const Use = z
  .object({
    used: z.number().int(),
    quota: z.number().int().nullable().meta({ description: 'Null for no limit' }),
  })
  .meta({ id: 'StorageUse' });

export const Storage = z
  .object({
    bytes: Use,
    rows: Use,
    level: z.enum(['ok', 'warning', 'full']).meta({
      description:
        `\`warning\` at or above ${STORAGE_WARNING_PERCENT} percent of either quota; \`full\` while no ` +
        'evidence is accepted',
    }),
  })
  .meta({ id: 'Storage' });
export type Storage = z.infer<typeof Storage>;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Returns a readable number of bytes, such as `1.5 GiB`. It is rounded down, so that only a full quota looks full. */
export function bytesText(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  const digits = unit === 0 || amount >= 100 ? 0 : 1;
  return `${(Math.floor(amount * 10 ** digits) / 10 ** digits).toFixed(digits)} ${UNITS[unit]}`;
}

export const getStorage = contract({
  id: 'getStorage',
  summary: 'Get the storage usage and quota of an org',
  description:
    'Bytes count the payloads of trails, artifacts, attestations, approvals, and environment reports, and ' +
    'attached files; identical contents count once. Rows count the resulting records: one for each trail and ' +
    'change to it, artifact, attestation, approval, SBOM component, and snapshot, and those for the changes in a ' +
    'snapshot. Both are updated within seconds. When either reaches its quota, requests that add evidence are ' +
    'rejected with 413 until the operator of the installation raises the quota; everything else works.',
  tag: 'Organizations',
  method: 'GET',
  path: '/organizations/:org/storage',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: Storage,
  errors: [400, 401, 403, 429, 503],
});
