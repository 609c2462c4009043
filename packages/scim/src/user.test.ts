import { describe, expect, it } from 'vitest';
import { patch, refusal } from './given/patches.ts';
import { patchUser, readUser, type ScimUser } from './user.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

const ann = readUser({
  userName: 'ann',
  externalId: 'x',
  displayName: 'Ann',
  name: { givenName: 'A', familyName: 'B' },
  emails: [
    { value: 'a@w', type: 'Work', primary: true },
    { value: 'a@h', type: 'home' },
  ],
});
const bare = readUser({ userName: 'ann' });

const patched = (user: ScimUser, ...operations: unknown[]) => patchUser('1', user, patch(...operations));
const addresses = (user: ScimUser) => user.emails.map((email) => email.value);

it('is active by default, and unchanged where it is absent', () => {
  expect(bare.active).toBe(true);
  expect(readUser({ userName: 'ann', active: 'False' }).active).toBe(false);
  expect(readUser({ userName: 'ann' }, { active: false }).active).toBe(false);
  expect(readUser({ userName: 'ann', active: true }, { active: false }).active).toBe(true);
});

describe('active', () => {
  it.each([
    { op: 'Replace', path: 'active', value: 'False' },
    { op: 'replace', value: { active: false } },
    { op: 'Add', path: 'active', value: 'false' },
    { op: 'replace', value: { id: '1', active: 'False' } },
    { op: 'replace', path: `${CORE}:active`, value: false },
    { op: 'replace', path: CORE, value: { active: false } },
    { op: 'replace', value: { [CORE]: { active: false } } },
  ])('is taken from %j', (operation) => {
    expect(patched(ann, operation).active).toBe(false);
  });

  it('is refused in any other form', () => {
    expect(refusal(() => patched(ann, { op: 'replace', path: 'active', value: 'no' }))).toBe('invalidValue');
    expect(refusal(() => patched(ann, { op: 'remove', path: 'active' }))).toBe('invalidValue');
    expect(refusal(() => patched(ann, { op: 'replace', value: { id: '2', active: false } }))).toBe('mutability');
    expect(refusal(() => patched(ann, { op: 'replace', path: 'actve', value: false }))).toBe('invalidPath');
    const older = 'urn:ietf:params:scim:schemas:core:1.0:User:active';
    expect(refusal(() => patched(ann, { op: 'replace', path: older, value: false }))).toBe('invalidPath');
  });
});

describe('emails', () => {
  const path = 'emails[type eq "work"].value';

  it.each(['Add', 'Replace'])('%s by type changes the one there is, or makes one', (op) => {
    const changed = patched(ann, { op, path, value: 'n@w' }).emails;
    expect(changed.find((email) => email.type === 'work')).toEqual({ value: 'n@w', type: 'work', primary: true });
    const made = patched(bare, { op, path, value: 'n@w' }).emails;
    expect(made).toEqual([{ value: 'n@w', type: 'work', primary: false }]);
  });

  it('are replaced, added to and removed as a whole or by a filter', () => {
    const byPrimary = patched(ann, { op: 'replace', path: 'emails[primary eq "True"].value', value: 'p' });
    expect(byPrimary.emails.find((email) => email.primary)?.value).toBe('p');
    expect(addresses(patched(ann, { op: 'replace', value: { emails: [{ value: 'only' }] } }))).toEqual(['only']);
    expect(addresses(patched(ann, { op: 'add', value: { emails: [{ value: 'A@W', type: 'work' }] } }))).toHaveLength(2);
    expect(addresses(patched(ann, { op: 'remove', path: 'emails[type eq "work"]' }))).toEqual(['a@h']);
    expect(addresses(patched(ann, { op: 'remove', path: 'emails' }))).toEqual([]);
    expect(addresses(patched(ann, { op: 'replace', value: { [path]: 'n@w' } }))).toContain('n@w');
    expect(refusal(() => patched(bare, { op: 'replace', path: 'emails[value eq "q"].type', value: 'home' }))).toBe(
      'noTarget',
    );
  });
});

describe('names', () => {
  it('are changed in parts', () => {
    const change = { op: 'replace', value: { 'name.givenName': 'Z', displayName: 'Q' } };
    expect(patched(ann, change).name).toEqual({ formatted: null, givenName: 'Z', familyName: 'B' });
    expect(patched(bare, { op: 'add', path: 'name.familyName', value: 'Z' }).name.familyName).toBe('Z');
    expect(patched(ann, { op: 'replace', path: 'displayName', value: '' }).displayName).toBeNull();
    expect(patched(ann, { op: 'remove', path: 'displayName' }).displayName).toBeNull();
  });

  it('must be such that they can be stored', () => {
    expect(refusal(() => patched(ann, { op: 'remove', path: 'userName' }))).toBe('invalidValue');
    expect(refusal(() => patched(ann, { op: 'replace', path: 'userName', value: 'a\u0000b' }))).toBe('invalidValue');
    expect(refusal(() => patched(ann, { op: 'replace', path: 'userName', value: 'a\ud800' }))).toBe('invalidValue');
    expect(refusal(() => patched(ann, { op: 'replace', path: 'displayName' }))).toBe('invalidValue');
  });
});

it.each([
  { op: 'add', path: `${ENTERPRISE}:manager`, value: '26' },
  { op: 'add', path: `${ENTERPRISE}:department`, value: 'D' },
  { op: 'add', value: { [ENTERPRISE]: { department: 'D' } } },
  { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
  { op: 'add', path: 'title', value: 'x' },
  { op: 'add', path: 'roles[primary eq "True"].value', value: 'x' },
])('an attribute that is not stored changes nothing: %j', (operation) => {
  expect(patched(ann, operation)).toEqual(ann);
});
