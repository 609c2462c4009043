import { atLeast } from '@waymark/contract';
import type { Actor, Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { forbidden } from '../../platform/errors.ts';
import { findMemberRole } from '../memberships/membership.reads.ts';
import { readPeople } from '../users/user.reads.ts';
import { findPrivilege, type StoredChangeRequest } from './change-request.store.ts';

export interface ChangeRequestRow extends StoredChangeRequest {
  /** Login of the person who asked. */
  readonly asked_by_login: string;
}

export async function withAskers(db: Db, requests: readonly StoredChangeRequest[]): Promise<ChangeRequestRow[]> {
  const people = await readPeople(
    db,
    requests.map(({ asked_by }) => asked_by),
  );
  return requests.flatMap((request) => {
    const person = people.get(request.asked_by);
    return person ? [{ ...request, asked_by_login: person.login }] : [];
  });
}

/**
 * The person who asks, directly or through a key or job of theirs. A credential without one cannot be distinguished
 * from other people.
 */
export function askingPerson({ credential }: Ctx): string {
  if (credential?.madeBy) return credential.madeBy;
  throw forbidden(
    'Change control of this org requires another person to approve this change, but nobody is known to have ' +
      'created your key. Use a key that a member created',
  );
}

/** Whether a request comes from the person who asked for the change, directly or through what they made. */
export function isAsker({ actor, credential }: Ctx, { asked_by }: ChangeRequestRow): boolean {
  return credential?.madeBy === asked_by || actor.id === asked_by;
}

/**
 * Returns the context of the asker, with their current role. Undefined if they, or the service account through which
 * they asked, could no longer ask for it.
 */
export async function askerContext(ctx: Ctx, request: ChangeRequestRow): Promise<Ctx | undefined> {
  const { actor_kind: kind, actor_id: id, actor_name: name, asked_by: madeBy, least_role: least } = request;
  const person = await findMemberRole(ctx, madeBy);
  const role = kind === 'user' ? person : await findPrivilege(ctx.db, ctx.org, id);
  if (!person || !role || !atLeast(person, least) || !atLeast(role, least)) return undefined;
  const actor: Actor = { kind, id, name, role };
  const { credential_id, workload } = request;
  const held = { onlyOrg: null, expiresAt: null, scope: null };
  return { ...ctx, actor, credential: { kind: 'key', id: credential_id, workload, madeBy, ...held } };
}
