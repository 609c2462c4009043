import { getLedgerProof } from '@waymark/contract';
import {
  type LedgerProof,
  parseLedgerProof,
  parsePolicy,
  payloadDigest,
  verifyLedgerProof,
} from '@waymark/transparency';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';
import type { TestApi, TestOrg } from '../harness.ts';
import { givenSealedLedger, type SealedLedger } from './sealed.ts';

/** The ledger of an API, whose sealer has a key. */
export async function givenServedLedger(api: TestApi): Promise<SealedLedger> {
  await sql`update sealer set has_key = true`.execute(api.owner);
  return givenSealedLedger(api.db);
}

/** Downloads a proof and verifies it offline, with the key of the log. Throws unless all of it is proven. */
export async function provenBy(
  api: TestApi,
  policy: string,
  query: Record<string, string>,
  org: TestOrg = api.org,
): Promise<LedgerProof> {
  const answer = await api.call(getLedgerProof, { params: { org: org.name }, key: org.keys.admin, query });
  if (answer.status !== 200) throw new Error(`no proof: ${answer.status} ${JSON.stringify(answer.body)}`);
  const proof = parseLedgerProof(answer.body);
  const { ok, steps } = await verifyLedgerProof(proof, parsePolicy(policy));
  if (!ok) throw new Error(`not proven: ${JSON.stringify(steps)}`);
  return proof;
}

const NONCE = Buffer.alloc(32, 7);
const PAYLOAD = '{}';
const DIGEST = Buffer.from(payloadDigest(PAYLOAD, NONCE), 'hex');

/** Writes entries of some orgs, so many of each, as features do. */
export async function givenEntries(db: Db, orgs: readonly string[], count: number): Promise<void> {
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select org, gen_random_uuid(), now(), 'test.written', 1, 'system', 'test', 'test', gen_random_uuid(), n,
      ${PAYLOAD}, ${NONCE}, ${DIGEST}
    from unnest(${orgs}::uuid[]) as org, generate_series(1, ${count}::int) as n`.execute(db);
}

/**
 * Changes an entry of the org in the ledger, and makes all that was derived from it and signed again, with the key of
 * today, on an object store that has nothing of before: what somebody with all rights could do.
 */
export async function givenRewrittenLedger(api: TestApi): Promise<SealedLedger> {
  const { id } = api.org;
  await sql`update ledger set leaf_hash = sha256('other') where org_id = ${id} and index = 3`.execute(api.owner);
  await sql`delete from org_log_tile where org_id = ${id}`.execute(api.owner);
  await sql`
    update org_log set size = 0, position = 0, roots = '', root = sha256(''), announced_epoch = 0, announced_size = 0`.execute(
    api.owner,
  );
  await sql`
    truncate org_log_checkpoint, region_log, region_leaf, region_tile, region_checkpoint, checkpoint_cosignature,
      witness`.execute(api.owner);
  return givenServedLedger(api);
}
