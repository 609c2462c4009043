import { type Email, patchEmails, readEmails } from './emails.ts';
import { refuse } from './error.ts';
import type { Step } from './operations.ts';
import { byLowerName, readBoolean, readObject, readOptionalText, readText } from './values.ts';

export type ScimUser = {
  userName: string;
  externalId: string | null;
  active: boolean;
  displayName: string | null;
  name: ScimName;
  emails: readonly Email[];
};
export type ScimName = { formatted: string | null; givenName: string | null; familyName: string | null };

const NO_NAME: ScimName = { formatted: null, givenName: null, familyName: null };

/** A replacement without `active` leaves it unchanged. */
export function readUser(body: unknown, before?: Pick<ScimUser, 'active'>): ScimUser {
  const given = byLowerName(readObject('The body', body));
  const active = given.get('active') ?? null;
  return {
    userName: readText('userName', given.get('username')),
    externalId: readOptionalText('externalId', given.get('externalid')),
    active: active === null ? (before?.active ?? true) : readBoolean('active', active),
    displayName: readOptionalText('displayName', given.get('displayname')),
    name: readName(given.get('name')),
    emails: readEmails(given.get('emails') ?? []),
  };
}

function readName(value: unknown): ScimName {
  if (value === undefined || value === null) return NO_NAME;
  return withName(NO_NAME, readObject('name', value));
}

function withName(name: ScimName, value: Readonly<Record<string, unknown>>): ScimName {
  return Object.entries(value).reduce((sum, [part, text]) => withNamePart(sum, part.toLowerCase(), text), name);
}

function withNamePart(name: ScimName, part: string, value: unknown): ScimName {
  if (part === 'formatted') return { ...name, formatted: readOptionalText('name.formatted', value) };
  if (part === 'givenname') return { ...name, givenName: readOptionalText('name.givenName', value) };
  if (part === 'familyname') return { ...name, familyName: readOptionalText('name.familyName', value) };
  return name;
}

export function patchUser(id: string, user: ScimUser, steps: readonly Step[]): ScimUser {
  return steps.reduce((sum, step) => patchOnce(id, sum, step), user);
}

function patchOnce(id: string, user: ScimUser, step: Step): ScimUser {
  const { attribute, sub, where } = step.path;
  if (attribute === 'emails') return { ...user, emails: patchEmails(user.emails, step) };
  if (attribute === 'name' && where === null) return { ...user, name: patchName(user.name, step) };
  return PLAIN_ATTRIBUTES.has(attribute) && (sub !== null || where !== null)
    ? noParts(attribute)
    : patchPlain(id, user, step);
}

const PLAIN_ATTRIBUTES = new Set(['id', 'username', 'externalid', 'active', 'displayname', 'name']);

function noParts(attribute: string): never {
  throw refuse('invalidPath', `${attribute} has no such part`);
}

/**
 * Attributes of the standard that we do not store: identity providers send them unasked. Any other name is an error, so
 * that a misspelt 'active' is not taken for a change that was made.
 */
const IGNORED_ATTRIBUTES = new Set(
  'schemas meta nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos addresses groups entitlements roles x509certificates'.split(
    ' ',
  ),
);

function patchPlain(id: string, user: ScimUser, { op, path, value }: Step): ScimUser {
  const next = op === 'remove' ? null : value;
  switch (path.attribute) {
    case 'username':
      return { ...user, userName: readText('userName', next) };
    case 'active':
      return { ...user, active: readBoolean('active', next) };
    case 'externalid':
      return { ...user, externalId: readOptionalText('externalId', next) };
    case 'displayname':
      return { ...user, displayName: readOptionalText('displayName', next) };
    case 'id':
      if (next !== id) throw refuse('mutability', 'id cannot be changed');
      return user;
    default:
      if (!IGNORED_ATTRIBUTES.has(path.attribute))
        throw refuse('invalidPath', `A user has no attribute '${path.attribute}'`);
      return user;
  }
}

function patchName(name: ScimName, { op, path, value }: Step): ScimName {
  const next = op === 'remove' ? null : value;
  if (path.sub !== null) return withNamePart(name, path.sub, next);
  if (next === null) return NO_NAME;
  return withName(op === 'replace' ? NO_NAME : name, readObject('name', next));
}
