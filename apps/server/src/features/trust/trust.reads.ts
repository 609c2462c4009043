import type { Trust } from '@waymark/evidence';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { requireStored } from '../../platform/stored-json.ts';
import { listIdentities, listKeys, type TrustedIdentityRow, type TrustedKeyRow } from './trust.store.ts';

/** The keys and identities whose signatures an org accepts now. */
export async function readTrust(db: Db, org: string): Promise<Trust> {
  const keys = await listKeys(db, org);
  const identities = await listIdentities(db, org);
  const roots = await readRoots(
    db,
    org,
    identities.map((identity) => identity.root_sha256),
  );
  return {
    keys: keys.map(({ id, name, public_key: publicKey }) => ({ id, name, publicKey })),
    identities: identities.map(({ id, name, issuer, subject, root_sha256 }) => ({
      id,
      name,
      issuer,
      subject,
      trustedRoot: roots.get(root_sha256),
    })),
  };
}

type NameOrId = { readonly name: string } | { readonly id: string };

/** A key that is trusted now. */
export async function findTrustedKey({ db, org }: Ctx, asked: NameOrId): Promise<TrustedKeyRow | undefined> {
  return (await listKeys(db, org)).find((key) => isAsked(key, asked));
}

/** An identity that is trusted now. */
export async function findTrustedIdentity({ db, org }: Ctx, asked: NameOrId): Promise<TrustedIdentityRow | undefined> {
  return (await listIdentities(db, org)).find((identity) => isAsked(identity, asked));
}

function isAsked(trusted: { readonly id: string; readonly name: string }, asked: NameOrId): boolean {
  return 'id' in asked ? trusted.id === asked.id : trusted.name === asked.name;
}

/** Each root is parsed once, as most identities share one. */
async function readRoots(db: Db, org: string, digests: readonly string[]): Promise<Map<string, unknown>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .selectFrom('trusted_root')
    .select(['sha256', 'content'])
    .where('org_id', '=', org)
    .where('sha256', 'in', [...new Set(digests)])
    .execute();
  return new Map(rows.map(({ sha256, content }) => [sha256, requireStored('trusted_root', sha256, content)]));
}
