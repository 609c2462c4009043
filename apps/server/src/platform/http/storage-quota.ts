import { bytesText, type Contract } from '@waymark/contract';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Problem, tooLarge } from '../errors.ts';
import type { App } from './app.ts';
import type { Caller } from './auth.ts';
import type { CallerRow } from './find-caller.ts';

/** How much evidence an org may keep; null for any amount. */
export interface StorageQuota {
  readonly bytes: number | null;
  readonly rows: number | null;
}

export const NO_QUOTA: StorageQuota = { bytes: null, rows: null };

/** What an org keeps whose storage quota is used up. */
export interface FullStorage {
  readonly bytes: number;
  readonly rows: number;
  readonly quotaBytes: number | null;
  readonly quotaRows: number | null;
}

export function fullStorageOf({ full_bytes, full_rows, quota_bytes, quota_rows }: CallerRow): FullStorage | null {
  if (full_bytes === null || full_rows === null) return null;
  return { bytes: full_bytes, rows: full_rows, quotaBytes: quota_bytes, quotaRows: quota_rows };
}

const EVIDENCE_ID = 'waymark-evidence-id';

type Headers = FastifyRequest['headers'];

/**
 * Refuses what adds evidence to an org whose storage quota is used up, before its body is read. A repeat of what was
 * accepted adds nothing, and is answered as it was the first time.
 */
export async function requireStorage(app: App, contract: Contract, caller: Caller, headers: Headers): Promise<void> {
  if (!contract.addsEvidence || caller.fullStorage === null) return;
  if (!(await isRepeat(app, contract, caller, headers))) throw storageFull(caller.fullStorage);
}

async function isRepeat(app: App, contract: Contract, { org, actor }: Caller, headers: Headers): Promise<boolean> {
  const db = app.shares.of(org);
  const key = headers['idempotency-key'];
  if (contract.method === 'POST' && typeof key === 'string') {
    const reply = db
      .selectFrom('idempotent_reply')
      .select('key')
      .where('org_id', '=', org)
      .where('actor_id', '=', actor.id)
      .where('key', '=', key);
    if (await reply.executeTakeFirst()) return true;
  }
  // An operation that does not read the header records anew, whatever it says.
  if (contract.headers?.shape[EVIDENCE_ID] === undefined) return false;
  const id = z.uuid().safeParse(headers[EVIDENCE_ID]);
  if (!id.success) return false;
  const receipt = db
    .selectFrom('evidence_receipt')
    .select('evidence_id')
    .where('org_id', '=', org)
    .where('evidence_id', '=', id.data);
  return (await receipt.executeTakeFirst()) !== undefined;
}

export function storageFull({ bytes, rows, quotaBytes, quotaRows }: FullStorage): Problem {
  const isFull = (used: number, quota: number | null) => quota !== null && used >= quota;
  const parts = [
    ...(isFull(bytes, quotaBytes) ? [`${bytesText(bytes)} of ${bytesText(quotaBytes ?? 0)}`] : []),
    ...(isFull(rows, quotaRows) ? [`${rows} of ${quotaRows} rows`] : []),
  ];
  return tooLarge(
    `The storage quota of this org is used up: ${parts.join(' and ')}. Ask the operator of this installation to raise ` +
      'it; until then no evidence can be added, and all else works',
  );
}
