import { type Access, atLeast, type Beta, OrgName, type Role } from '@waymark/contract';
import { batch } from '../db/batch.ts';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { forbidden, unauthenticated } from '../errors.ts';
import { hashKey, isKeyText } from './key-text.ts';

interface KeyRow {
  place: number;
  key_id: string;
  actor_kind: 'user' | 'service_account';
  actor_id: string;
  actor_name: string;
  org_id: string | null;
  role: Role | null;
  has_betas: boolean | null;
}

/**
 * The one read of every request: key → who, and their role in the org of the path. Nothing is cached, so revoking needs
 * no more than its commit; requests that arrive together are looked up together.
 */
const findCallers = statement<{ hashes: Buffer[]; org_names: string[]; now: Date }, KeyRow>(
  'find_callers',
  `select sent.place, key.id as key_id,
     case when key.user_id is null then 'service_account' else 'user' end as actor_kind,
     coalesce(key.user_id, key.service_account_id) as actor_id,
     coalesce(person.login, account.name) as actor_name,
     org.id as org_id,
     coalesce(membership.role, account.privilege) as role,
     org.experimental_features_enabled as has_betas
   from unnest(:hashes::bytea[], :org_names::text[]) with ordinality as sent (hash, org_name, place)
   join api_key as key on key.hash = sent.hash
   left join org on org.name = sent.org_name
   left join user_account as person on person.id = key.user_id
   left join membership on membership.org_id = org.id and membership.user_id = key.user_id
   left join service_account as account
     on account.org_id = key.org_id and account.id = key.service_account_id and key.org_id = org.id
   where key.revoked_at is null and (key.expires_at is null or key.expires_at > :now)`,
);

export type FindCaller = (key: { hash: Buffer; orgName: string }) => Promise<KeyRow | undefined>;

export function createFindCaller(db: Db, now: () => Date): FindCaller {
  return batch(async (keys) => {
    const rows = await findCallers(db, {
      hashes: keys.map((key) => key.hash),
      org_names: keys.map((key) => key.orgName),
      now: now(),
    });
    const found = new Map(rows.map((row) => [row.place, row]));
    return keys.map((_, i) => found.get(i + 1));
  });
}

export interface Caller {
  readonly keyId: string;
  readonly org: string;
  /** Whether the org has turned on what is beta. */
  readonly hasBetas: boolean;
  readonly actor: {
    readonly kind: 'user' | 'service_account';
    readonly id: string;
    readonly name: string;
    readonly role: Role;
  };
}

/** Domain rule: an org one may not enter and an org that does not exist answer alike. */
const NO_ENTRY = 'There is no such org, or you are not a member of it';

export async function authenticate(
  findCaller: FindCaller,
  request: { authorization: string | undefined; basicAllowed: boolean; orgName: string },
): Promise<Caller> {
  const key = keyFrom(request.authorization, request.basicAllowed);
  // The database refuses to look for some texts, such as U+0000, and neighbours share the look-up: what cannot be a
  // name is looked for as one nobody has.
  const orgName = OrgName.safeParse(request.orgName).success ? request.orgName : '';
  const row = await findCaller({ hash: hashKey(key), orgName });
  if (!row) throw unauthenticated('The API key is not known, has expired or was revoked');
  if (!row.org_id || !row.role) throw forbidden(NO_ENTRY);
  const actor = { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, role: row.role };
  return { keyId: row.key_id, org: row.org_id, hasBetas: row.has_betas === true, actor };
}

export function authorise(role: Role, access: Exclude<Access, 'public'>): void {
  if (!atLeast(role, access)) throw forbidden(`This needs the role ${access}; yours is ${role}`);
}

/** What is beta is asked for by name, request by request, unless the org has turned it on. */
export function requireBeta(beta: Beta, asked: string | string[] | undefined, hasBetas: boolean): void {
  const names = String(asked ?? '').split(',');
  if (hasBetas || names.some((name) => name.trim().toLowerCase() === beta)) return;
  throw forbidden(
    `This is beta: send the header "Waymark-Beta: ${beta}", or have an admin turn experimental features on for the org ` +
      'with PUT /organizations/{org}/experimental_features',
  );
}

function keyFrom(header: string | undefined, basicAllowed: boolean): string {
  if (!header) throw unauthenticated('An API key is required: send it as "Authorization: Bearer <key>"');
  const [scheme = '', credential = ''] = header.split(' ', 2);
  const key = scheme.toLowerCase() === 'basic' && basicAllowed ? userNameOf(credential) : credential;
  if (scheme.toLowerCase() !== 'bearer' && !(scheme.toLowerCase() === 'basic' && basicAllowed)) {
    throw unauthenticated('Only "Authorization: Bearer <key>" is accepted here');
  }
  if (!isKeyText(key)) throw unauthenticated('That is no API key: it is mistyped or cut off');
  return key;
}

function userNameOf(credential: string): string {
  return Buffer.from(credential, 'base64').toString().split(':', 1)[0] ?? '';
}
