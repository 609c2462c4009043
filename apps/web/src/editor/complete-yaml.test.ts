import { describe, expect, it } from 'vitest';
import { proposalsAt } from './complete-yaml.ts';

const schema = {
  type: 'object',
  properties: {
    artifacts: {
      type: 'object',
      description: 'The requirements of every artifact.',
      properties: {
        attestations: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              type: {
                anyOf: [
                  { type: 'string', enum: ['junit', '*'] },
                  { type: 'string', pattern: '^custom:' },
                ],
              },
              must_be_compliant: { type: 'boolean' },
              for_control: { type: 'string' },
            },
          },
        },
      },
    },
  },
};
const item = ['artifacts', 'attestations', '[]'];
const labels = (key: string | undefined, path: readonly string[] = item, names = {}) =>
  proposalsAt({ path, key, typed: '' }, schema, names).map(({ label }) => label);

describe('what is proposed', () => {
  it('are the keys of the place, with what they mean', () => {
    expect(proposalsAt({ path: [], key: undefined, typed: '' }, schema, {})).toEqual([
      { label: 'artifacts', insert: 'artifacts:', detail: 'The requirements of every artifact.' },
    ]);
    expect(labels(undefined)).toEqual(['type', 'must_be_compliant', 'for_control']);
  });

  it('are the values that a key may have, quoted where YAML needs it', () => {
    expect(labels('must_be_compliant')).toEqual(['true', 'false']);
    expect(labels('type')).toEqual(['junit', '"*"']);
  });

  it('are names of the org beside them', () => {
    const names = { type: [{ label: 'custom:sast' }], for_control: [{ label: 'SDLC-7' }] };
    expect(labels('type', item, names)).toEqual(['junit', '"*"', 'custom:sast']);
    expect(labels('for_control', item, names)).toEqual(['SDLC-7']);
    expect(labels('for_control', [], names)).toEqual([]);
  });

  it('is nothing where the schema has nothing', () => {
    expect(labels(undefined, ['nowhere'])).toEqual([]);
    expect(labels('x')).toEqual([]);
    expect(proposalsAt({ path: [], key: undefined, typed: '' }, undefined, {})).toEqual([]);
  });
});
