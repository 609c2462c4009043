import { refuse } from './error.ts';
import type { Step } from './operations.ts';
import { byLowerName, readObject, readOptionalText, readText } from './values.ts';

/** The changes of a patch, without the group: members are many, changes are few. */
export type GroupChange =
  | { kind: 'displayName'; displayName: string }
  | { kind: 'externalId'; externalId: string | null }
  | { kind: 'members'; how: 'add' | 'remove' | 'replace'; ids: string[] };

export type ScimGroup = { displayName: string; externalId: string | null; memberIds: string[] };

const MAX_MEMBERS = 10_000;

export function readGroup(body: unknown): ScimGroup {
  const given = byLowerName(readObject('The body', body));
  return {
    displayName: readText('displayName', given.get('displayname')),
    externalId: readOptionalText('externalId', given.get('externalid')),
    memberIds: readMembers(given.get('members') ?? []),
  };
}

export function groupChanges(id: string, steps: readonly Step[]): GroupChange[] {
  return steps.flatMap((step) => groupChange(id, step) ?? []);
}

function groupChange(id: string, step: Step): GroupChange | null {
  const { attribute, sub, where } = step.path;
  if (attribute === 'members') return memberChange(step);
  if (sub !== null || where !== null) throw refuse('invalidPath', `${attribute} has no such part`);
  if (attribute === 'displayname') return { kind: 'displayName', displayName: readText('displayName', step.value) };
  if (attribute === 'externalid') {
    return { kind: 'externalId', externalId: step.op === 'remove' ? null : readOptionalText('externalId', step.value) };
  }
  if (attribute === 'id' && step.value !== id) throw refuse('mutability', 'id cannot be changed');
  if (!['id', 'schemas', 'meta'].includes(attribute))
    throw refuse('invalidPath', `A group has no attribute '${attribute}'`);
  return null;
}

function memberChange({ op, path, value }: Step): GroupChange {
  if (path.sub !== null) throw refuse('invalidPath', 'A member can only be changed as a whole');
  if (path.where === null) {
    if (op === 'remove' && value === undefined) return { kind: 'members', how: 'replace', ids: [] };
    return { kind: 'members', how: op, ids: readMembers(value) };
  }
  if (op !== 'remove') throw refuse('invalidPath', 'A filter on members can be used only to remove them');
  return {
    kind: 'members',
    how: 'remove',
    ids: path.where.map(({ attribute, value: id }) => toMemberId(attribute, id)),
  };
}

function toMemberId(attribute: string, id: string | boolean): string {
  if (attribute !== 'value') throw refuse('invalidPath', 'Members can be filtered only by their value');
  return readText('members.value', id);
}

/** Only the value identifies the member; Entra ID sends $ref as null and others send display names. */
function readMembers(value: unknown): string[] {
  if (value === null) throw refuse('invalidValue', 'members must be a list');
  const members: unknown[] = Array.isArray(value) ? value : [value];
  if (members.length > MAX_MEMBERS)
    throw refuse('invalidValue', `members can have at most ${MAX_MEMBERS} items per request`);
  const ids = members.map((one) => readText('members.value', byLowerName(readObject('A member', one)).get('value')));
  return [...new Set(ids)];
}

/** Combines changes in order, so that many steps become few statements. */
export interface MembersChange {
  /** Whether members that are not named stay. */
  readonly keepsOthers: boolean;
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

export function membersChange(changes: readonly GroupChange[]): MembersChange {
  let keepsOthers = true;
  const added = new Set<string>();
  const removed = new Set<string>();
  for (const change of changes) {
    if (change.kind !== 'members') continue;
    if (change.how === 'replace') {
      keepsOthers = false;
      added.clear();
      removed.clear();
    }
    const [into, outOf] = change.how === 'remove' ? [removed, added] : [added, removed];
    for (const id of change.ids) {
      into.add(id);
      outOf.delete(id);
    }
  }
  return { keepsOthers, added, removed };
}
