import { hash } from 'node:crypto';
import type { Ctx } from '../../../platform/ctx.ts';
import { statement } from '../../../platform/db/statement.ts';
import { ENTRY_OF_LEDGER } from '../../../platform/journal/journal-range.ts';

interface PolicyVersion {
  readonly policyId: string;
  readonly policyVersion: number;
}

const listPolicyTexts = statement<
  { org_id: string; policies: readonly string[]; versions: readonly number[] },
  { readonly policy_id: string; readonly version: number; readonly policy_yaml: string }
>(
  'list_policy_texts_to_sign',
  `select version.policy_id, version.version, version.policy_yaml
   from unnest(:policies::uuid[], :versions::int[]) as asked (policy_id, number)
   join policy_version as version on version.org_id = :org_id and version.policy_id = asked.policy_id
     and version.version = asked.number`,
);

/** Returns the SHA-256 of the text of each version of a policy. */
export async function readPolicyDigests(
  ctx: Ctx,
  asked: readonly PolicyVersion[],
): Promise<(policyId: string, version: number) => string> {
  const rows = await listPolicyTexts(ctx.db, {
    org_id: ctx.org,
    policies: asked.map(({ policyId }) => policyId),
    versions: asked.map(({ policyVersion }) => policyVersion),
  });
  const digests = new Map(
    rows.map(({ policy_id, version, policy_yaml }) => [`${policy_id} ${version}`, hash('sha256', policy_yaml)]),
  );
  return (policyId, version) => {
    const digest = digests.get(`${policyId} ${version}`);
    if (digest === undefined) throw new Error(`version ${version} of policy ${policyId} is missing`);
    return digest;
  };
}

/** The entry of the journal with which each attestation was recorded, as the ledger has it. */
const listDigests = statement<
  { org_id: string; ids: readonly string[] },
  { readonly id: string; readonly sha256: string }
>(
  'list_attestation_digests_to_sign',
  `select subject.id, entry.sha256 from unnest(:ids::uuid[]) as subject (id)
   cross join lateral (
     select encode(journal.payload_digest, 'hex') as sha256 from ledger
     cross join lateral (${ENTRY_OF_LEDGER}) as journal
     where ledger.org_id = :org_id and ledger.subject_id = subject.id
     order by ledger.entry_seq limit 1
   ) as entry
   order by subject.id`,
);

/** Of evidence that is not in the ledger yet, which takes a second, there is none. */
export async function readInputDigests(ctx: Ctx, ids: readonly string[]) {
  return ids.length === 0 ? [] : listDigests(ctx.db, { org_id: ctx.org, ids });
}
