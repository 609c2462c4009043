import { expect, it } from 'vitest';
import { parseFilter } from './filter.ts';
import { patch, refusal } from './given/patches.ts';
import { groupChanges, readGroup } from './group.ts';
import { PATCH_SCHEMA, readPatch } from './operations.ts';
import { patchUser, readUser } from './user.ts';

const ann = readUser({ userName: 'ann', emails: [{ value: 'a@w', type: 'work', primary: true }] });
const onUser = (operation: unknown) => patchUser('1', ann, patch(operation));
const onGroup = (operation: unknown) => groupChanges('g', patch(operation));

it.each([
  null,
  5,
  [],
  {},
  { schemas: null },
  { schemas: [PATCH_SCHEMA] },
  { schemas: [PATCH_SCHEMA], Operations: null },
  { schemas: [PATCH_SCHEMA], Operations: [] },
  { schemas: [PATCH_SCHEMA], Operations: [null] },
  { schemas: [PATCH_SCHEMA], Operations: [{ op: 1 }] },
  { schemas: [PATCH_SCHEMA], Operations: [{ op: 'add', OP: 'remove' }] },
])('%j is no patch', (message) => {
  expect(refusal(() => readPatch(message))).toBe('invalidSyntax');
});

it('a path must say what is meant', () => {
  expect(refusal(() => patch({ op: 'remove' }))).toBe('noTarget');
  expect(refusal(() => patch({ op: 'remove', path: 5 }))).toBe('invalidPath');
  for (const path of ['', '[', '.', 'a.b.c', 'a[', 'a]', '__proto__', '__proto__.x', '$$[', 'a b']) {
    expect(refusal(() => onUser({ op: 'add', path, value: { x: 1 } }))).toBe('invalidPath');
    expect(refusal(() => onGroup({ op: 'add', path, value: { x: 1 } }))).toBe('invalidPath');
  }
});

it('nothing reaches the prototypes', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"x":1},"value":"q"}');
  expect(refusal(() => onUser({ op: 'add', value: hostile }))).toBe('invalidPath');
  expect(refusal(() => onUser({ op: 'add', value: { constructor: { prototype: { x: 1 } } } }))).toBe('invalidPath');
  onUser({ op: 'add', path: 'emails[type eq "work"]', value: hostile });
  readUser(JSON.parse('{"userName":"a","__proto__":{"x":1},"urn:x:__proto__.x":"1","name":{"__proto__":{"x":1}}}'));
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

it('every combination of parts is accepted or refused', () => {
  const bits = [
    ...['userName', 'eq', '"x"', 'and', 'or', 'not', '(', ')', '[', ']', 'pr', 'true', 'null', '5', 'emails', '.'],
    ...['emails[type eq "work"]', 'members', 'value', 'a.b', '\\', '"', '\n', '__proto__', '\u0000', '\\"'],
  ];
  const paths = ['members', 'emails', 'name', 'active', 'emails[type eq "work"].value', 'emails[primary eq true]'];
  const values = [
    ...[null, undefined, 1, '', 'x', 'True', {}, [], [null], { value: 'x' }, [{ value: 'x' }], [{ value: { a: 1 } }]],
    ...[{ active: 'x' }, [[[]]], { emails: [{ value: 'a', primary: 'true' }] }, '\u0000'],
  ];
  let seed = 7;
  const below = (bound: number) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % bound;
  };
  const oneOf = <T>(list: readonly T[]) => list[below(list.length)] as T;
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: 1 + below(6) }, () => oneOf(bits)).join(below(4) ? ' ' : '');
    const path = below(2) ? text : oneOf(paths);
    const operation = { op: oneOf(['add', 'replace', 'remove']), ...(below(4) && { path }), value: oneOf(values) };
    const { value } = operation;
    refusal(() => parseFilter(text, 'and'));
    refusal(() => onUser(operation));
    refusal(() => onGroup(operation));
    refusal(() => readUser({ userName: 'a', emails: value, name: value, active: value }));
    refusal(() => readGroup({ displayName: text, members: value }));
  }
});
