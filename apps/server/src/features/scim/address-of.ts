import type { ScimUser } from '@waymark/scim';

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** The address by which a user is told from others: the primary one, else that for work, else the first or the name. */
export function addressOf({ emails, userName }: Pick<ScimUser, 'emails' | 'userName'>): string | undefined {
  const candidates = [
    emails.find((email) => email.primary)?.value,
    emails.find((email) => email.type === 'work')?.value,
    emails[0]?.value,
    userName,
  ];
  return candidates.find((candidate) => candidate !== undefined && ADDRESS.test(candidate));
}

/** What to call a person whose account is made. */
export function nameOf({ displayName, name }: Pick<ScimUser, 'displayName' | 'name'>): string | null {
  const parts = [name.givenName, name.familyName].filter((part) => part !== null).join(' ');
  return displayName ?? name.formatted ?? (parts || null);
}
