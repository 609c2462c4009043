import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Contract } from './contract.ts';
import { contracts } from './contracts.ts';
import { KeyScope, normalizedScope } from './key-scopes.ts';
import { namePlaceIn, type ScopeKind, type ScopeRule, scopeKinds, scopeReaches, scopes } from './permissions.ts';

const rules: Readonly<Record<ScopeKind, ScopeRule>> = scopes;
const byId = new Map(contracts.map((contract) => [contract.id, contract]));
const reached = (kind: ScopeKind) => contracts.filter((contract) => scopeReaches(kind, contract));

/** Every field that a request of an operation can have, by its path. */
function fieldsOf({ params, query, body }: Contract): string[] {
  const parts: [string, z.ZodType | undefined][] = [
    ['path', params],
    ['query', query],
    ['body', body],
  ];
  return parts.flatMap(([part, shape]) =>
    shape ? propertiesOf(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }), part) : [],
  );
}

function propertiesOf(node: unknown, at: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== 'properties') return propertiesOf(value, at);
    return Object.entries(value as object).flatMap(([name, inner]) => [
      `${at}.${name}`,
      ...propertiesOf(inner, `${at}.${name}`),
    ]);
  });
}

it('operations that report evidence or store a file count against the storage quota, and no others', () => {
  const reports = contracts.filter(
    (contract) =>
      contract.method !== 'GET' &&
      (scopeReaches('evidence', contract) || scopeReaches('snapshot', contract) || contract.form?.file.store),
  );
  expect(contracts.filter(({ addsEvidence }) => addsEvidence)).toEqual(reports);
});

it('the table names operations that exist, and fields that they have', () => {
  for (const kind of scopeKinds) {
    for (const [id, place] of Object.entries(rules[kind].reaches)) {
      const contract = byId.get(id);
      expect(contract, id).toBeDefined();
      if (contract && place) expect(fieldsOf(contract), id).toContain(place);
    }
  }
});

it.each([
  ['evidence', /flow(?!_tag)/i],
  ['snapshot', /env/i],
] as const)(
  'with the scope %s every operation names its subject in one place, which the table knows',
  (kind, naming) => {
    for (const contract of reached(kind)) {
      if (contract.access === 'signed_in') continue;
      const named = fieldsOf(contract).filter((field) => naming.test(field.slice(field.lastIndexOf('.') + 1)));
      expect(named, contract.id).toEqual([namePlaceIn(kind, contract)]);
    }
  },
);

it("no scope but read reaches the caller's own operations, except for whoami", () => {
  for (const kind of ['evidence', 'snapshot'] as const) {
    const own = reached(kind).filter(({ path }) => !path.includes('/:org'));
    expect(own.map(({ id }) => id).sort()).toEqual(['getDefaultOrg', 'getOwnSession']);
  }
});

it('no scope grants permissions, nor anything that only a role may manage', () => {
  const changed = new Set(
    scopeKinds.flatMap((kind) => reached(kind).filter(({ method }) => method !== 'GET')).map(({ access }) => access),
  );
  expect([...changed].sort()).toEqual(['read', 'record_evidence', 'report_environments']);
});

it('read changes nothing', () => {
  const writes = reached('read').filter(({ method }) => method !== 'GET');
  expect(writes.map(({ id }) => id).sort()).toEqual(['simulatePolicy', 'validatePolicy']);
});

it('a scope is stored with each name once, and with null for all', () => {
  expect(normalizedScope({ kind: 'evidence', flows: ['b', 'a', 'b'] })).toEqual({
    kind: 'evidence',
    flows: ['b', 'a'],
  });
  expect(normalizedScope({ kind: 'evidence' })).toEqual({ kind: 'evidence', flows: null });
  expect(normalizedScope({ kind: 'snapshot' })).toEqual({ kind: 'snapshot', environments: null });
  expect(normalizedScope({ kind: 'read' })).toEqual({ kind: 'read' });
});

it.each([
  [{}],
  [{ kind: 'write' }],
  [{ kind: 'evidence', environments: ['prod'] }],
  [{ kind: 'snapshot', flows: ['shop'] }],
  [{ kind: 'read', flows: ['shop'] }],
  [{ kind: 'evidence', flows: [] }],
  [{ kind: 'evidence', flows: ['a b'] }],
  [{ kind: 'evidence', flows: Array.from({ length: 51 }, (_, i) => `flow-${i}`) }],
])('%j is not a scope', (scope) => {
  expect(KeyScope.safeParse(scope).success).toBe(false);
});
