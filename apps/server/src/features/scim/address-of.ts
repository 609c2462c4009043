import type { ScimUser } from '@waymark/scim';

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** The address that identifies a user: the primary one, else the one for work, else the first one or the user name. */
export function addressOf({ emails, userName }: Pick<ScimUser, 'emails' | 'userName'>): string | undefined {
  const candidates = [
    emails.find((email) => email.primary)?.value,
    emails.find((email) => email.type === 'work')?.value,
    emails[0]?.value,
    userName,
  ];
  return candidates.find((candidate) => candidate !== undefined && ADDRESS.test(candidate));
}

/** The display name of a person whose account is created. */
export function nameOf({ displayName, name }: Pick<ScimUser, 'displayName' | 'name'>): string | null {
  const parts = [name.givenName, name.familyName].filter((part) => part !== null).join(' ');
  return displayName ?? name.formatted ?? (parts || null);
}
