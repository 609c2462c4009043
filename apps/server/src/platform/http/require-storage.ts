import type { Contract } from '@waymark/contract';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OrgShares } from '../db/org-shares.ts';
import type { Caller } from './auth.ts';
import { storageFull } from './storage-quota.ts';

const EVIDENCE_ID = 'waymark-evidence-id';

type Headers = FastifyRequest['headers'];

/**
 * Refuses new evidence for an org whose storage quota is used up, before the body is read. A repeat of an accepted
 * report adds nothing, and gets the first response.
 */
export async function requireStorage(
  shares: OrgShares,
  contract: Contract,
  caller: Caller,
  headers: Headers,
): Promise<void> {
  if (!contract.addsEvidence || caller.fullStorage === null) return;
  if (!(await isRepeat(shares, contract, caller, headers))) throw storageFull(caller.fullStorage);
}

async function isRepeat(
  shares: OrgShares,
  contract: Contract,
  { org, actor }: Caller,
  headers: Headers,
): Promise<boolean> {
  const db = shares.of(org);
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
  // An operation that does not read the header records a new report, whatever the header says.
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
