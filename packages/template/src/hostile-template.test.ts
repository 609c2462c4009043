import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate, TEMPLATE_MAX_BYTES } from './parse-template.ts';

const VALID = `version: 1
trail:
  attestations:
    - { name: ticket, type: jira }
  artifacts:
    - name: backend
      attestations:
        - name: unit-tests
          type: "custom:unit"
    - name: frontend
`;

const pieces = [
  '&a',
  '*a',
  '!t',
  '!!str',
  '---\n',
  '...\n',
  '\n',
  '\r\n',
  '\t',
  '  ',
  '- ',
  '? ',
  ': ',
  '[',
  ']',
  '{',
  '}',
  ',',
  '|',
  '>',
];
const words = [
  'name',
  'type',
  'trail',
  '__proto__',
  '<<',
  '%YAML 1.1\n',
  '"',
  "'",
  '#',
  '\\',
  '\0',
  '\ud800',
  '\uFEFF',
  '1',
  '~',
  'é',
];

const yamlLike = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 40 }).map((parts) => parts.join(''));
const mutated = fc
  .tuple(fc.nat(VALID.length), fc.nat(12), fc.oneof(yamlLike, fc.string({ unit: 'binary', maxLength: 8 })))
  .map(([at, removed, added]) => VALID.slice(0, at) + added + VALID.slice(at + removed));

describe('whatever the text, parsing returns a result, and places every problem inside the text', () => {
  it.each([
    ['any string', fc.string({ unit: 'binary', maxLength: 200 })],
    ['strings of single code units', fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units))],
    ['strings that look like YAML', yamlLike],
    ['valid templates with one edit', mutated],
  ])('%s', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseTemplate(text);
        if (parsed.ok) return;
        const lines = text.split('\n');
        expect(parsed.problems.length).toBeGreaterThan(0);
        for (const { line, column, message } of parsed.problems) {
          expect(message).toMatch(/^[A-Z"].*[.?]$/s);
          expect(line).toBeGreaterThanOrEqual(1);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const bombs: { it: string; text: string; message: string }[] = [
  { it: '3,000 open brackets', text: '['.repeat(3000), message: 'This is nested too deeply.' },
  { it: 'brackets up to the limit', text: '['.repeat(TEMPLATE_MAX_BYTES), message: 'This is nested too deeply.' },
  { it: 'brackets that close', text: '['.repeat(30000) + ']'.repeat(30000), message: 'This is nested too deeply.' },
  { it: 'lists in lists', text: '- '.repeat(30000), message: 'This is nested too deeply.' },
  { it: 'just one level too many', text: '['.repeat(34) + ']'.repeat(34), message: 'This is nested too deeply.' },
  { it: 'thousands of different keys', text: `{${manyKeys(12000).join(',')}}`, message: 'Unknown key "k0"; ' },
  { it: 'thousands of equal keys', text: `{${'k,'.repeat(10000)}}`, message: 'The key "k" occurs twice' },
  {
    it: 'thousands of equal names',
    text: `trail: { artifacts: [${'{ name: a },'.repeat(2000)}] }`,
    message: 'The name "a" is taken',
  },
  { it: 'aliases of aliases', text: aliasBomb(9), message: 'YAML anchors (&) and aliases (*) are not allowed' },
];

describe('a text made to exhaust the parser is refused within a second', () => {
  it.each(bombs)('$it', ({ text, message }) => {
    const started = process.threadCpuUsage();
    const parsed = parseTemplate(text);
    const { user, system } = process.threadCpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect(parsed.ok ? '' : parsed.problems[0]?.message).toContain(message);
  });
});

function manyKeys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${index.toString(36)}`);
}

/** Each line holds the one before it nine times: 9^levels values if aliases were followed. */
function aliasBomb(levels: number): string {
  const lines = Array.from(
    { length: levels },
    (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
  );
  return ['l0: &l0 boom', ...lines].join('\n');
}
