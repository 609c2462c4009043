import type { Trust } from '@waymark/evidence';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { requireStored } from '../../platform/stored-json.ts';
import { listIdentities, listKeys, type TrustedIdentityRow, type TrustedKeyRow } from './trust.store.ts';

/**
 * The keys and identities whose signatures an org accepts now in a flow. A flow that does not exist yet has none of its
 * own.
 */
export async function readTrust(db: Db, org: string, flowId: string | null): Promise<Trust> {
  const isOfFlow = ({ flow_ids: flows }: Limited) => flows === null || (flowId !== null && flows.includes(flowId));
  const keys = (await listKeys(db, org)).filter(isOfFlow);
  const identities = (await listIdentities(db, org)).filter(isOfFlow);
  const roots = await readRoots(
    db,
    org,
    identities.map((identity) => identity.root_sha256),
  );
  return {
    keys: keys.map(({ id, name, public_key: publicKey }) => ({ id, name, publicKey })),
    identities: identities.map(({ id, name, issuer, subject, is_pattern: isPattern, root_sha256 }) => ({
      id,
      name,
      issuer,
      subject,
      ...(isPattern && { isPattern }),
      trustedRoot: roots.get(root_sha256),
    })),
  };
}

interface Limited {
  readonly flow_ids: readonly string[] | null;
}

/** The keys and identities that are trusted now, by ID, with the flows to which that is limited. */
export type TrustedSigners = ReadonlyMap<string, readonly string[] | null>;

export async function readTrustedSigners(db: Db, org: string): Promise<TrustedSigners> {
  const [keys, identities] = await Promise.all([listKeys(db, org), listIdentities(db, org)]);
  return new Map([...keys, ...identities].map(({ id, flow_ids }) => [id, flow_ids]));
}

export function isTrustedIn(trusted: TrustedSigners, id: string, flowId: string): boolean {
  const flows = trusted.get(id);
  return flows !== undefined && (flows === null || flows.includes(flowId));
}

/** The names of the flows to which trust is limited, by ID. */
export async function readFlowNames({ db, org }: Ctx, of: readonly Limited[]): Promise<Map<string, string>> {
  const ids = [...new Set(of.flatMap(({ flow_ids: flows }) => flows ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('flow')
    .select(['id', 'name'])
    .where('org_id', '=', org)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
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
