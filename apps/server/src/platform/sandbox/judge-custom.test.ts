import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from './sandbox.ts';

// However busy the machine is.
const sandbox = openSandbox({ workers: 1, timeoutMs: 60_000 });
afterAll(() => sandbox.close());

const NO_TYPE = { schema: null, rules: [], summary: [] };
const data = { coverage: 81, name: 'web', tests: [{ ok: true }, { ok: false }] };

describe('a rule passes when it yields exactly one true', () => {
  it.each([
    ['.coverage > 80', null],
    ['.coverage > 80 # enough', null],
    ['(def f: .coverage; f) > 80', null],
    ['.coverage > 90', 'it yields false'],
    ['.nothing', 'it yields null'],
    ['"true"', 'it yields "true"'],
    ['1', 'it yields 1'],
    ['empty', 'it yields nothing'],
    ['true, true', 'it yields more than one value'],
    ['.tests[].ok', 'it yields more than one value'],
    ['true, error("later")', 'it fails: later'],
    ['error({"a": 1})', 'it fails: {"a":1}'],
    ['error(null)', 'it fails: null'],
    ['.name.deeper', 'it fails: Cannot index string with string ("deeper")'],
    ['label $out | true, break $out', null],
    ['"x" * 500', `it yields "${'x'.repeat(99)}`],
    ['.removed_in_a_newer_jq(', expect.stringMatching(/^it does not compile: syntax error/)],
  ])('%s: %j', async (rule, because) => {
    expect(
      await sandbox.run('acme', 'judgeCustom', () => ({ ...NO_TYPE, rules: ['true', rule, 'false'], data })),
    ).toEqual({
      kind: 'judged',
      results: [
        { rule: 'true', passed: true, because: null },
        { rule, passed: because === null, because },
        { rule: 'false', passed: false, because: 'it yields false' },
      ],
      summary: [],
      engine: expect.stringMatching(/^jq-1\.\d+\.\d+ ajv-8\.\d+\.\d+$/),
    });
  });
});

it('without rules nothing but the schema is asked', async () => {
  const type = { ...NO_TYPE, schema: '{"type":"object"}' };
  expect(await sandbox.run('acme', 'judgeCustom', () => ({ ...type, data }))).toMatchObject({
    kind: 'judged',
    results: [],
  });
  expect(await sandbox.run('acme', 'judgeCustom', () => ({ ...type, data: [] }))).toEqual({
    kind: 'schema_failed',
    problems: ['/ must be object'],
  });
});

it('gives the values of a summary in their order', async () => {
  const summary = [
    { name: 'Coverage', expression: '.coverage' },
    { name: 'Failed', expression: '[.tests[] | select(.ok | not)] | length' },
    { name: 'Many', expression: '.tests[].ok' },
    { name: 'None', expression: 'empty' },
    { name: 'Broken', expression: '.name.x' },
    { name: 'Whole', expression: '.tests' },
    { name: 'Long', expression: '"y" * 5000' },
  ];
  expect(
    await sandbox.run('acme', 'judgeCustom', () => ({ ...NO_TYPE, rules: ['true'], summary, data })),
  ).toMatchObject({
    results: [{ passed: true }],
    summary: [
      { name: 'Coverage', value: 81 },
      { name: 'Failed', value: 1 },
      { name: 'Many', value: true },
      { name: 'None', value: null },
      { name: 'Broken', value: null },
      { name: 'Whole', value: [{ ok: true }, { ok: false }] },
      { name: 'Long', value: `"${'y'.repeat(4095)}…` },
    ],
  });
});

describe('data that fails the schema', () => {
  it('is reported with paths, in either draft', async () => {
    const properties = { coverage: { type: 'string' }, name: { enum: ['shop'] }, at: { format: 'date' } };
    for (const $schema of ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#']) {
      const schema = JSON.stringify({ $schema, required: ['id'], properties, additionalProperties: false });
      const sent = { coverage: 81, name: 'web', at: 'today', more: 1 };
      expect(
        await sandbox.run('acme', 'judgeCustom', () => ({ ...NO_TYPE, schema, rules: ['true'], data: sent })),
      ).toEqual({
        kind: 'schema_failed',
        problems: [
          "/ must have required property 'id'",
          '/ must NOT have additional properties: "more"',
          '/coverage must be string',
          '/name must be equal to one of the allowed values: ["shop"]',
          '/at must match format "date"',
        ],
      });
    }
  });

  it('is reported at most 20 times', async () => {
    const schema = '{"items":{"type":"string"}}';
    const outcome = await sandbox.run('acme', 'judgeCustom', () => ({ ...NO_TYPE, schema, data: Array(500).fill(1) }));
    expect(outcome.kind === 'schema_failed' && outcome.problems).toHaveLength(20);
  });
});
