import { expect, it } from 'vitest';
import { scopeFrom, scopeWords } from './key-scope.ts';

it('reads names separated by commas and spaces, and treats none as all', () => {
  expect(scopeFrom('evidence', ' shop, bank  till ')).toEqual({ kind: 'evidence', flows: ['shop', 'bank', 'till'] });
  expect(scopeFrom('snapshot', 'prod')).toEqual({ kind: 'snapshot', environments: ['prod'] });
  expect(scopeFrom('snapshot', ' ')).toEqual({ kind: 'snapshot', environments: null });
  expect(scopeFrom('read', 'shop')).toEqual({ kind: 'read' });
  expect(scopeFrom('', 'shop')).toBeNull();
});

it('says what a key is limited to', () => {
  expect(scopeWords({ kind: 'evidence', flows: ['shop', 'bank'] })).toBe('evidence: shop, bank');
  expect(scopeWords({ kind: 'snapshot', environments: null })).toBe('snapshots');
  expect(scopeWords({ kind: 'read' })).toBe('read only');
});
