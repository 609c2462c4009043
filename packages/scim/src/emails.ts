import { refuse } from './error.ts';
import type { Comparison } from './filter.ts';
import type { Step } from './operations.ts';
import { byLowerName, readBoolean, readObject, readOptionalText, readText } from './values.ts';

export type Email = { value: string; type: string | null; primary: boolean };

const MAX_EMAILS = 20;

export function readEmails(value: unknown): Email[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return merge([], list.map(readEmail));
}

function readEmail(value: unknown): Email {
  const given = byLowerName(readObject('An email', value));
  const primary = given.get('primary') ?? false;
  return {
    value: readText('emails.value', given.get('value')),
    type: readOptionalText('emails.type', given.get('type'))?.toLowerCase() ?? null,
    primary: readBoolean('emails.primary', primary),
  };
}

export function patchEmails(emails: readonly Email[], step: Step): Email[] {
  return step.path.where === null ? patchAll(emails, step) : patchSome(emails, step, step.path.where);
}

function patchAll(emails: readonly Email[], { op, path, value }: Step): Email[] {
  if (path.sub !== null)
    throw refuse('invalidPath', 'Name the email by a filter, such as emails[type eq "work"].value');
  if (op === 'replace') return value === null ? [] : readEmails(value);
  if (op === 'add') return merge(emails, readEmails(value));
  if (value === undefined) return [];
  const gone = new Set(readEmails(value).map(key));
  return emails.filter((email) => !gone.has(key(email)));
}

function patchSome(emails: readonly Email[], { op, path, value }: Step, where: readonly Comparison[]): Email[] {
  const meant = emails.filter((email) => where.some((comparison) => matches(email, comparison)));
  const others = emails.filter((email) => !meant.includes(email));
  if (op === 'remove') return path.sub === null || path.sub === 'value' ? others : noTarget();
  const change = path.sub === null ? byLowerName(readObject('emails', value)) : new Map([[path.sub, value]]);
  if (meant.length > 0)
    return merge(
      others,
      meant.map((email) => withChange(email, change)),
    );
  return merge(emails, [created(where, change)]);
}

/** Identity providers set emails[type eq "work"].value for a user who has no such email yet, and mean a new one. */
function created(where: readonly Comparison[], change: ReadonlyMap<string, unknown>): Email {
  const [only, second] = where;
  if (!only || second || !['type', 'primary'].includes(only.attribute) || !change.has('value')) return noTarget();
  return readEmail({ ...Object.fromEntries(change), [only.attribute]: only.value });
}

function withChange(email: Email, change: ReadonlyMap<string, unknown>): Email {
  return readEmail({
    value: change.get('value') ?? email.value,
    type: change.has('type') ? change.get('type') : email.type,
    primary: change.get('primary') ?? email.primary,
  });
}

function matches(email: Email, { attribute, value }: Comparison): boolean {
  if (attribute === 'type') return email.type === String(value).toLowerCase();
  if (attribute === 'value') return key(email) === String(value).toLowerCase();
  if (attribute === 'primary') return email.primary === readBoolean('emails.primary', value);
  throw refuse('invalidPath', 'Emails can be filtered by type, value, or primary');
}

/** The later wins: of two with one address, and of two primary ones. */
function merge(before: readonly Email[], after: readonly Email[]): Email[] {
  const all = new Map([...before, ...after].map((email) => [key(email), email]));
  if (all.size > MAX_EMAILS) throw refuse('invalidValue', `A user can have at most ${MAX_EMAILS} emails`);
  const primary = [...all.values()].findLast((email) => email.primary);
  return [...all.values()].map((email) => (email === primary ? email : { ...email, primary: false }));
}

function key(email: Email): string {
  return email.value.toLowerCase();
}

function noTarget(): never {
  throw refuse('noTarget', 'No email matches the filter');
}
