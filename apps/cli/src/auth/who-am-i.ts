import { ApiError, type Client, type ReplyOf } from '@waymark/client';
import { getOwnSession, type KeyScope, type Role } from '@waymark/contract';
import { CliError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

type OwnSession = ReplyOf<typeof getOwnSession>;

export interface Identity {
  readonly host: string;
  readonly kind: OwnSession['kind'];
  readonly login: string;
  readonly display_name: string | null;
  readonly email: string | null;
  readonly org: string | null;
  /** The role in that org; null if the caller is not a member. */
  readonly role: Role | null;
  readonly only_org: string | null;
  /** The scope of the key. */
  readonly scope: KeyScope | null;
  readonly orgs: OwnSession['orgs'];
}

/** Asks the service who owns a key. `source` says where the key came from if it is not accepted. */
export async function whoAmI(session: Session, client: Client, source: string): Promise<Identity> {
  const host = session.need('host');
  const { org } = session.settings;
  const own = await client.call(getOwnSession, { signal: session.io.signal }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw new CliError('denied', `${host} does not accept the key (${source})`, {
      why: error.message,
      fix: "The key is revoked, expired, or for another host. Store a new one with 'waymark auth login'",
      requestId: error.requestId,
    });
  });
  const { kind, login, display_name, email, only_org, scope, orgs } = own;
  const role = orgs.find(({ name }) => name === org)?.role ?? null;
  return { host, kind, login, display_name, email, org: org ?? null, role, only_org, scope, orgs };
}

export function kindText({ kind }: Pick<Identity, 'kind'>): string {
  return kind === 'user' ? 'a person' : 'a service account';
}

export function orgText({ org, role, orgs }: Pick<Identity, 'org' | 'role' | 'orgs'>): string {
  if (org === null) return `none selected; you are in ${orgs.map(({ name }) => name).join(', ') || 'none'}`;
  return role === null ? `${org} (not a member)` : `${org} (${role})`;
}

/** Explains what to do about an org that the caller is not a member of. */
export function outsideFix({ orgs }: Pick<Identity, 'orgs'>): string {
  const names = orgs.map(({ name }) => name).join(', ');
  return names === '' ? 'Ask an admin of the org to invite you' : `Check the name of the org; you are in ${names}`;
}
