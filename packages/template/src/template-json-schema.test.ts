import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseTemplate } from './parse-template.ts';
import { templateJsonSchema } from './template.ts';

const ID = 'https://waymark.example.com/schemas/flow-template/v1';
const accepts = new Ajv2020().compile(templateJsonSchema(ID));

const samples = [
  'version: 1',
  'trail:',
  'trail: { attestations: [{ name: a, type: junit }], artifacts: [{ name: web }] }',
  'trail: { attestations: [{ name: "a,b", type: "*" }] }',
  'trail: { attestations: [{ name: a, type: "custom:load~test" }] }',
  'trail: { attestations: [{ name: a, type: snyk, fails_at: note }] }',
  'trail: { attestations: [{ name: a, type: snyk, fails_at: none }] }',
  'version: 2',
  'version: "1"',
  'versoin: 1',
  'trail: []',
  'trail: { attestations: }',
  'trail: { attestations: [{ name: a }] }',
  'trail: { attestations: [{ name: "", type: junit }] }',
  'trail: { attestations: [{ name: "*", type: junit }] }',
  'trail: { attestations: [{ name: a, type: lint }] }',
  'trail: { attestations: [{ name: a, type: "custom:" }] }',
  'trail: { artifacts: [{ name: "a,b" }] }',
  'trail: { artifacts: [{ name: web, attestations: [{ name: a, type: junit, if: x }] }] }',
];

describe('the JSON Schema and the parser agree about', () => {
  it.each(samples)('%s', (text) => {
    expect(accepts(parse(text))).toBe(parseTemplate(text).ok);
  });
});

it('carries its address, a title and a description of every property', () => {
  const schema = templateJsonSchema(ID);

  expect(schema).toMatchObject({
    $id: ID,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Flow template',
  });
  expect(undescribed(schema)).toEqual([]);
});

function undescribed(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const here = `${path}/${key}`;
    const bare = path.endsWith('/properties') && !('description' in value) ? [here] : [];
    return [...bare, ...undescribed(value, here)];
  });
}
