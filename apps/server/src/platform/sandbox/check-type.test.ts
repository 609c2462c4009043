import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from './sandbox.ts';

// However busy the machine is.
const sandbox = openSandbox({ workers: 1, timeoutMs: 60_000 });
afterAll(() => sandbox.close());

const checkRules = (...rules: string[]) =>
  sandbox.run('acme', 'checkType', () => ({ schema: null, rules, summary: [] }));
const checkSchema = (schema: object | string) =>
  sandbox.run('acme', 'checkType', () => ({
    schema: typeof schema === 'string' ? schema : JSON.stringify(schema),
    rules: [],
    summary: [],
  }));

describe('rules', () => {
  it.each([
    ['.coverage >= 80'],
    ['[.findings[] | select(.severity == "high")] | length == 0'],
    ['getpath(["a", "b"]) == 1 # with a remark'],
    ['{input: .env, now: 1, debug: .halt} | .now == 1'],
    ['"now, env and $ENV" == .text'],
    ['def now: 7; now == 7'],
    ['(.at | fromdate) < (.until | fromdate)'],
  ])('takes %s', async (rule) => {
    expect(await checkRules(rule)).toEqual({ ok: true });
  });

  it.each([
    ['.a ==', 'does not compile: syntax error, unexpected end of file, line 1, column 4'],
    ['', 'does not compile: Top-level program not given (try ".")'],
    ['$nobody', 'does not compile: $nobody is not defined, line 1, column 1'],
    ['true), (true', expect.stringMatching(/^does not compile: syntax error/)],
    ['module {"a": 1}; true', expect.stringMatching(/^cannot be combined with others: syntax error/)],
    ['import "a" as a; true', 'does not compile: import and include are not allowed'],
    ['include "a"; true', 'does not compile: import and include are not allowed'],
    ['input', 'uses input, which is not allowed'],
    ['[inputs] | length == 0', 'uses input, which is not allowed'],
    ['"\\(now)" == .a', 'uses now, which is not allowed'],
    ['.a < (now | localtime | mktime)', expect.stringMatching(/^uses (now|localtime), which/)],
    ['env.HOME == "x"', 'uses env, which is not allowed'],
    ['def f: {x: $ENV}; f == 1', 'uses $ENV, which is not allowed'],
    ['debug', 'uses debug, which is not allowed'],
    ['debug("x")', 'uses debug, which is not allowed'],
    ['stderr', 'uses stderr, which is not allowed'],
    ['halt', 'uses halt, which is not allowed'],
    ['"x" | halt_error', 'uses halt_error, which is not allowed'],
    ['input_line_number == 1', 'uses input_line_number, which is not allowed'],
  ])('refuses %s', async (rule, problem) => {
    expect(await checkRules('true', rule)).toEqual({ ok: false, field: 'evaluator.rules.1', problem });
  });

  it('and summaries are held to the same', async () => {
    const summary = [
      { name: 'a', expression: '.a' },
      { name: 'b', expression: 'now' },
    ];
    expect(await sandbox.run('acme', 'checkType', () => ({ schema: null, rules: ['.a'], summary }))).toEqual({
      ok: false,
      field: 'summary.1.expression',
      problem: 'uses now, which is not allowed',
    });
  });
});

describe('a schema', () => {
  it.each([
    [{}],
    [{ type: 'object', required: ['a'], properties: { a: { type: 'string', pattern: '^[a-z]{2,}$' } } }],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://acme.example/a', type: 'object' }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', definitions: { a: {} }, $ref: '#/definitions/a' }],
    [{ $defs: { item: { $id: 'item', type: 'string' } }, items: { $ref: 'item' } }],
    [{ properties: { pattern: { type: 'string' } }, enum: [{ pattern: '(?=a)' }], unheardOf: 1 }],
  ])('%j is taken', async (schema) => {
    expect(await checkSchema(schema)).toEqual({ ok: true });
  });

  it.each([
    ['{', /: Expected property name or '}' in JSON/],
    ['[]', /: it is not a JSON object$/],
    ['true', /: it is not a JSON object$/],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /: its \$schema is neither draft 2020-12 nor draft 07$/],
    [{ $schema: 7 }, /: its \$schema is neither/],
    [{ type: 'objekt' }, /: \/type must be equal to one of the allowed values/],
    [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }, /: can't resolve reference/],
    [{ $ref: 'http://127.0.0.1/x.json' }, /: can't resolve reference/],
    [{ $ref: 'file:///etc/passwd' }, /: can't resolve reference/],
    [{ $async: true }, /: \$async is not allowed$/],
    [{ maximum: { $data: '1/limit' } }, /: \/maximum must be number/],
    [{ pattern: '(?=a)b' }, /: the pattern \(\?=a\)b is not valid: .*without lookarounds/],
    [{ $defs: { unused: { patternProperties: { '(a)\\1': {} } } } }, /: the pattern \(a\)\\1 is not valid/],
  ])('%j is refused', async (schema, problem) => {
    expect(await checkSchema(schema)).toEqual({
      ok: false,
      field: 'type_schema',
      problem: expect.stringMatching(problem),
    });
  });

  it('of more than 64 KiB is refused', async () => {
    expect(await checkSchema({ description: 'x'.repeat(65_536) })).toEqual({
      ok: false,
      field: 'type_schema',
      problem: 'cannot be used as a JSON Schema: it is larger than 65536 bytes',
    });
  });

  it('may have the id of one that came before', async () => {
    expect(await checkSchema({ $id: 'https://acme.example/same', type: 'object' })).toEqual({ ok: true });
    expect(await checkSchema({ $id: 'https://acme.example/same', type: 'string' })).toEqual({ ok: true });
  });
});
