import { expect, it } from 'vitest';
import { patch, refusal } from './given/patches.ts';
import { groupChanges, membersChange, readGroup } from './group.ts';

const changes = (...operations: unknown[]) => groupChanges('g', patch(...operations));
const members = (how: string, ...ids: string[]) => [{ kind: 'members', how, ids }];

it.each([
  [{ op: 'remove', path: 'members[value eq "2"]' }, members('remove', '2')],
  [{ op: 'remove', path: 'members[value eq "1" or value eq "2"]' }, members('remove', '1', '2')],
  [{ op: 'Remove', path: 'members', value: [{ value: '2' }] }, members('remove', '2')],
  [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: '2' }] }, members('remove', '2')],
  [{ op: 'Remove', path: 'members', value: [{ display: 'y', $ref: 'https://x', value: '2' }] }, members('remove', '2')],
  [{ op: 'Remove', path: 'members', value: [{ value: '9" or value pr' }] }, members('remove', '9" or value pr')],
  [{ op: 'Remove', path: 'members', value: [] }, members('remove')],
  [{ op: 'remove', path: 'members' }, members('replace')],
  [{ op: 'Add', path: 'members', value: [{ value: '4' }, { value: '4' }] }, members('add', '4')],
  [{ op: 'add', value: { members: [{ value: '4' }] } }, members('add', '4')],
  [{ op: 'add', path: 'members', value: { value: '4' } }, members('add', '4')],
  [{ op: 'replace', value: { members: [{ value: '7' }] } }, members('replace', '7')],
  [{ op: 'replace', path: 'members', value: [] }, members('replace')],
  [{ op: 'replace', value: { id: 'g', displayName: 'New' } }, [{ kind: 'displayName', displayName: 'New' }]],
])('%j is read as what it does', (operation, expected) => {
  expect(changes(operation)).toEqual(expected);
});

it('a step without a known member or attribute is refused', () => {
  expect(refusal(() => changes({ op: 'replace', value: { id: 'h' } }))).toBe('mutability');
  expect(refusal(() => changes({ op: 'remove', path: 'members', value: null }))).toBe('invalidValue');
  expect(refusal(() => changes({ op: 'remove', path: 'members', value: ['2'] }))).toBe('invalidSyntax');
  expect(refusal(() => changes({ op: 'remove', path: 'members[display eq "x"]' }))).toBe('invalidPath');
  expect(refusal(() => changes({ op: 'add', path: 'members[value eq "2"]', value: {} }))).toBe('invalidPath');
  expect(refusal(() => changes({ op: 'replace', path: 'member', value: [] }))).toBe('invalidPath');
});

it('is read with the ids of its members', () => {
  expect(readGroup({ displayName: 'G', members: [{ value: '1', display: 'x' }] }).memberIds).toEqual(['1']);
  expect(readGroup({ displayName: 'G' }).memberIds).toEqual([]);
});

it('combines changes of members in order', () => {
  const add = (...ids: string[]) => ({ op: 'add', path: 'members', value: ids.map((value) => ({ value })) });
  const remove = (...ids: string[]) => ({ op: 'remove', path: 'members', value: ids.map((value) => ({ value })) });
  const changesOf = (...operations: unknown[]) => {
    const { keepsOthers, added, removed } = membersChange(changes(...operations));
    return { keepsOthers, added: [...added], removed: [...removed] };
  };
  expect(changesOf(add('1', '2'), remove('2', '3'))).toEqual({ keepsOthers: true, added: ['1'], removed: ['2', '3'] });
  expect(changesOf(remove('1'), add('1'))).toEqual({ keepsOthers: true, added: ['1'], removed: [] });
  const replace = { op: 'replace', path: 'members', value: [{ value: '7' }, { value: '8' }] };
  expect(changesOf(add('1'), remove('2'), replace, remove('8'))).toEqual({
    keepsOthers: false,
    added: ['7'],
    removed: ['8'],
  });
});

it('a thousand removals are combined', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({ op: 'remove', path: `members[value eq "user-${i}"]` }));
  expect(membersChange(changes(...many)).removed.size).toBe(1000);
});
