import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from './parse-policy.ts';

const HEAD = '_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n';
const VALID = `${HEAD}    - type: junit
      if: >-
        \${{ flow.name == "web"
          and not exists(flow.tags.a) }}
    - { type: pull_request, min_approvals: 2, if: "\${{ matches(artifact.name, \\"^v\\") }}" }
  provenance: { required: true, exceptions: [{ if: '\${{ 1 == 1 }}' }] }
`;

const pieces = fc.constantFrom(
  ...['&a', '*a', '!t', '---\n', '\n', '\r\n', '\t', '  ', '- ', ': ', '[', ']', '{', '}', ',', '|', '>', '>-\n'],
  ...['if', '${{', '}}', '__proto__', '<<', '"', "'", '#', '\\', '\0', '\ud800', '\uFEFF', '~', 'é', ' == ', '(', ')'],
);
const yamlLike = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));
const mutated = fc
  .tuple(fc.nat(VALID.length), fc.nat(12), fc.oneof(yamlLike, fc.string({ unit: 'binary', maxLength: 8 })))
  .map(([at, removed, added]) => VALID.slice(0, at) + added + VALID.slice(at + removed));
const bytes = fc.uint8Array({ maxLength: 300 });

it('the example that is mutated is right', () => {
  expect(parsePolicy(VALID)).toHaveProperty('policy');
});

describe('whatever the text, parsing returns a result, and places every problem inside the text', () => {
  it.each<[string, fc.Arbitrary<string>]>([
    ['any string', fc.string({ unit: 'binary', maxLength: 200 })],
    ['any bytes, read as UTF-8', bytes.map((some) => new TextDecoder().decode(some))],
    ['any bytes, read as Latin-1', bytes.map((some) => Buffer.from(some).toString('latin1'))],
    ['strings that look like YAML', yamlLike],
    ['strings that look like a policy', yamlLike.map((text) => `${HEAD}    - type: junit\n      if: ${text}`)],
    ['valid policies with one edit', mutated],
  ])('%s', (_, texts) => {
    const property = fc.property(texts, (text) => {
      const parsed = parsePolicy(text);
      if ('policy' in parsed) return;
      const lines = text.split('\n');
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const { line, column, message } of parsed.problems) {
        expect(message).toMatch(/^[A-Z"].*[.?"']$/s);
        expect(line).toBeGreaterThanOrEqual(1);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
      }
    });
    fc.assert(property, { numRuns: 1500 });
  });
});

const bombs: { it: string; text: string; message: string }[] = [
  { it: 'open brackets', text: `${HEAD}${'['.repeat(60_000)}`, message: 'This is nested too deeply.' },
  { it: 'open braces', text: `${HEAD}    - {if: ${'{'.repeat(60_000)}`, message: 'A key must be plain text.' },
  { it: 'lists in lists', text: '- '.repeat(30_000), message: 'This is nested too deeply.' },
  { it: 'aliases of aliases', text: aliasBomb(9), message: 'YAML anchors (&) and aliases (*) are not allowed' },
  { it: 'thousands of equal keys', text: `{${'k,'.repeat(10_000)}}`, message: 'The key "k" occurs twice' },
  { it: 'thousands of rules', text: `${HEAD}${'    - {}\n'.repeat(7_000)}`, message: 'may have at most 200 rules' },
  {
    it: 'an expression of parentheses',
    text: filled(() => ruleIf('('.repeat(4000))),
    message: 'An expression may be nested at most 40 levels deep.',
  },
  {
    it: 'thousands of unknown names',
    text: filled(() => ruleIf(Array(200).fill('a.b').join(' or '))),
    message: 'Unknown name "a.b"',
  },
  {
    it: 'a text that never ends, in each expression',
    text: filled(() => ruleIf(`"${'\\\\'.repeat(2000)}`)),
    message: 'This text has no closing ".',
  },
  {
    it: 'patterns that are large',
    text: filled((index) => ruleIf(`matches(artifact.name, "\\pL{${500 + index}}\\pL{999}")`)),
    message: 'and the maximum is 200; use fewer repetitions, or split it in two joined with "or".',
  },
  {
    it: 'many patterns',
    text: filled((index) => ruleIf(`matches(artifact.name, "(?i)${'\\pL'.repeat(20)}${index}")`)),
    message:
      'All patterns of a policy may have at most 1000 steps; use fewer repetitions, or compare with "==" or "in".',
  },
];

describe('a text made to exhaust the parser is refused in a second or two', () => {
  it.each(bombs)('$it', ({ text, message }) => {
    const start = process.threadCpuUsage();
    const parsed = parsePolicy(text);
    const { user, system } = process.threadCpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(3000);
    expect('problems' in parsed ? parsed.problems[0]?.message : '').toContain(message);
  });
});

function ruleIf(expression: string): string {
  return `{ type: junit, if: '\${{ ${expression} }}' }`;
}

/** A policy of as many rules as are allowed, in number and in size. */
function filled(rule: (index: number) => string): string {
  let text = HEAD;
  for (let index = 0; ; index++) {
    const line = `    - ${rule(index)}\n`;
    if (index >= 200 || text.length + line.length > 65_000) return text;
    text += line;
  }
}

/** Each line holds the one before it nine times: 9^levels values if aliases were followed. */
function aliasBomb(levels: number): string {
  const lines = Array.from(
    { length: levels },
    (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
  );
  return ['l0: &l0 boom', ...lines].join('\n');
}
