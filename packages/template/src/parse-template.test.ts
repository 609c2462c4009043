import { describe, expect, it } from 'vitest';
import { parseTemplate, TEMPLATE_MAX_BYTES } from './parse-template.ts';
import type { Template } from './template.ts';

const NOTHING = { attestations: [], artifacts: [] };
const TYPES = 'generic, junit, snyk, sonar, jira, pull_request, decision, sbom, in_toto, vex, * or custom:<name>';
const NO_ALIASES =
  'YAML anchors (&) and aliases (*) are not allowed; if you mean the character itself, put it in quotes, as in "*".';

const FULL = `
version: 1
trail:
  attestations:
    - name: risk-approval
      type: decision
    - { name: jira-ticket, type: jira }
  artifacts:
    - name: backend
      attestations:
        - name: unit-tests
          type: junit
        - name: load,soak
          type: custom:load-test
        - name: risk-approval # also on the trail, which is another list
          type: '*'
    - name: frontend
`;

const right: { it: string; text: string; template: Template }[] = [
  { it: 'only a version', text: 'version: 1\n', template: { version: 1, trail: NOTHING } },
  { it: 'no version', text: 'trail: {}', template: { version: 1, trail: NOTHING } },
  { it: 'a trail left empty', text: 'version: 1\ntrail:\n', template: { version: 1, trail: NOTHING } },
  { it: 'a mapping with nothing in it', text: '{}', template: { version: 1, trail: NOTHING } },
  {
    it: 'a byte order mark and Windows line ends',
    text: '\uFEFFversion: 1\r\ntrail: {}\r\n',
    template: { version: 1, trail: NOTHING },
  },
  { it: 'one document between markers', text: '---\nversion: 1\n...\n', template: { version: 1, trail: NOTHING } },
  {
    it: 'the level at which findings fail',
    text: 'trail: { attestations: [{ name: scan, type: snyk, fails_at: warning }] }',
    template: {
      version: 1,
      trail: { attestations: [{ name: 'scan', type: 'snyk', fails_at: 'warning' }], artifacts: [] },
    },
  },
  {
    it: 'everything a template can say',
    text: FULL,
    template: {
      version: 1,
      trail: {
        attestations: [
          { name: 'risk-approval', type: 'decision' },
          { name: 'jira-ticket', type: 'jira' },
        ],
        artifacts: [
          {
            name: 'backend',
            attestations: [
              { name: 'unit-tests', type: 'junit' },
              { name: 'load,soak', type: 'custom:load-test' },
              { name: 'risk-approval', type: '*' },
            ],
          },
          { name: 'frontend', attestations: [] },
        ],
      },
    },
  },
];

describe('a template may have', () => {
  it.each(right)('$it', ({ text, template }) => {
    expect(parseTemplate(text)).toEqual({ ok: true, template });
  });
});

const wrong: { it: string; lines: string[]; problems: string[] }[] = [
  {
    it: 'no text',
    lines: [''],
    problems: ['1:1 <root> The template is empty; the shortest that is allowed is "version: 1".'],
  },
  {
    it: 'only a comment',
    lines: ['# to do'],
    problems: ['1:1 <root> The template is empty; the shortest that is allowed is "version: 1".'],
  },
  {
    it: 'a list on top',
    lines: ['- name: unit-tests'],
    problems: ['1:1 <root> The template must be a mapping, not a list.'],
  },
  { it: 'another version', lines: ['version: 2'], problems: ['1:10 version "version" must be 1, not the number 2.'] },
  {
    it: 'a version in quotes',
    lines: ["version: '1'"],
    problems: ['1:10 version "version" must be 1, not the text "1".'],
  },
  {
    it: 'a misspelt key',
    lines: ['version: 1', 'trial:', '  artifacts: []'],
    problems: ['2:1 trial Unknown key "trial"; the keys allowed here are version, trail. Did you mean "trail"?'],
  },
  {
    it: 'unknown keys in every place',
    lines: [
      'trail:',
      '  owner: me',
      '  attestations:',
      '    - { name: a, type: junit, required: true }',
      '  artifacts:',
      '    - name: web',
      '      attestation:',
      '        - name: a',
    ],
    problems: [
      '2:3 trail.owner Unknown key "owner"; the keys allowed here are attestations, artifacts.',
      '4:31 trail.attestations.0.required Unknown key "required"; the keys allowed here are name, type, fails_at.',
      '7:7 trail.artifacts.0.attestation Unknown key "attestation"; the keys allowed here are name, attestations. Did you mean "attestations"?',
    ],
  },
  {
    it: 'keys that JavaScript gives a meaning',
    lines: ['__proto__: { version: 1 }', 'constructor: 1'],
    problems: [
      '1:1 __proto__ Unknown key "__proto__"; the keys allowed here are version, trail.',
      '2:1 constructor Unknown key "constructor"; the keys allowed here are version, trail.',
    ],
  },
  {
    it: 'an unknown type',
    lines: [
      'trail:',
      '  artifacts:',
      '    - name: web',
      '      attestations:',
      '        - name: a',
      '          type: JUnitt',
    ],
    problems: [
      `6:17 trail.artifacts.0.attestations.0.type Unknown attestation type "JUnitt"; use one of ${TYPES}. Did you mean "junit"?`,
    ],
  },
  {
    it: 'a custom type with a bad name',
    lines: ['trail:', '  attestations:', '    - name: a', '      type: custom:-x'],
    problems: [
      '4:13 trail.attestations.0.type "custom:-x" does not name a custom type; the name after "custom:" starts with a letter or digit, then letters, digits, "-", "_" and "~".',
    ],
  },
  {
    it: 'a level that is none, and one where there are no findings',
    lines: [
      'trail:',
      '  attestations:',
      '    - { name: a, type: snyk, fails_at: high }',
      '    - { name: b, type: junit, fails_at: error }',
      '    - { name: c, fails_at: error }',
    ],
    problems: [
      '3:40 trail.attestations.0.fails_at "fails_at" must be error, warning or note, not the text "high".',
      '4:41 trail.attestations.1.fails_at "fails_at" is only for type snyk, which has findings; remove it.',
      '5:7 trail.attestations.2.type "type" is missing.',
      '5:28 trail.attestations.2.fails_at "fails_at" is only for type snyk, which has findings; remove it.',
    ],
  },
  {
    it: 'a name or a type left out',
    lines: ['trail:', '  attestations:', '    - name: a', '    - type: junit', '    - name: b', '      type:'],
    problems: [
      '3:7 trail.attestations.0.type "type" is missing.',
      '4:7 trail.attestations.1.name "name" is missing.',
      '6:7 trail.attestations.2.type "type" must be the name of an attestation type, not an empty value.',
    ],
  },
  {
    it: 'names that are empty, numbers or hold other characters',
    lines: [
      'trail:',
      '  attestations:',
      "    - { name: '', type: junit }",
      '    - { name: 42, type: junit }',
      "    - { name: '*', type: junit }",
      '  artifacts:',
      '    - name: web,api',
    ],
    problems: [
      '3:15 trail.attestations.0.name A name must not be empty.',
      '4:15 trail.attestations.1.name "name" must be text, not the number 42; put it in quotes.',
      '5:15 trail.attestations.2.name "*" is not a name; use only letters, digits, "-", "_" and ",".',
      '7:13 trail.artifacts.0.name "web,api" is not a name; use only letters, digits, "-" and "_".',
    ],
  },
  {
    it: 'a name twice in one list, also beside another mistake',
    lines: [
      'trail:',
      '  attestations:',
      '    - { name: a, type: junit }',
      '    - { name: a }',
      '  artifacts:',
      '    - { name: web, attestations: [{ name: a, type: junit }, { name: a, type: snyk }] }',
      '    - { name: web }',
    ],
    problems: [
      '4:7 trail.attestations.1.type "type" is missing.',
      '4:15 trail.attestations.1.name The name "a" is taken by entry 1 of this list; choose another.',
      '6:69 trail.artifacts.0.attestations.1.name The name "a" is taken by entry 1 of this list; choose another.',
      '7:15 trail.artifacts.1.name The name "web" is taken by entry 1 of this list; choose another.',
    ],
  },
  {
    it: 'a list that is none, and an entry that is none',
    lines: ['trail:', '  attestations:', '  artifacts:', '    - web'],
    problems: [
      '2:3 trail.attestations "attestations" must be a list, not an empty value.',
      '4:7 trail.artifacts.0 Entry 1 of "artifacts" must be a mapping, not the text "web".',
    ],
  },
  {
    it: 'a key twice',
    lines: ['trail: {}', 'version: 1', 'trail: {}'],
    problems: ['3:1 trail The key "trail" occurs twice; keep one.'],
  },
  { it: 'a tab', lines: ['trail:', '\tartifacts: []'], problems: ['2:1 <root> A tab cannot indent YAML; use spaces.'] },
  {
    it: 'a star without quotes, which YAML takes for an alias',
    lines: ['trail:', '  attestations:', '    - name: a', '      type: *'],
    problems: [`4:13 <root> ${NO_ALIASES}`],
  },
  {
    it: 'an anchor and its alias',
    lines: [
      'trail:',
      '  attestations: &same',
      '    - { name: a, type: junit }',
      '  artifacts:',
      '    - { name: web, attestations: *same }',
    ],
    problems: [`2:17 trail.attestations ${NO_ALIASES}`, `5:34 trail.artifacts.0.attestations ${NO_ALIASES}`],
  },
  {
    it: 'a colon in a value without quotes',
    lines: ['trail:', '  artifacts:', '    - name: web: api'],
    problems: ['3:13 <root> A value that contains a colon and a space must be in quotes.'],
  },
  {
    it: 'a second document',
    lines: ['version: 1', '---', 'version: 1'],
    problems: ['2:1 <root> A second YAML document starts here; only one is allowed.'],
  },
  {
    it: 'a tag',
    lines: ['trail: !include other.yaml'],
    problems: ['1:8 <root> Unknown YAML tag "!include"; remove it, or put the value in quotes.'],
  },
  {
    it: 'a tag that YAML knows and templates have no use for',
    lines: ['trail: !!binary aGVsbG8='],
    problems: ['1:8 <root> Unknown YAML tag "!!binary"; remove it, or put the value in quotes.'],
  },
  {
    it: 'a quote that is never closed',
    lines: ['trail:', '  artifacts:', '    - name: "web'],
    problems: ['3:17 <root> Not valid YAML: Missing closing "quote.'],
  },
  { it: 'a key that is a list', lines: ['? [a]', ': 1'], problems: ['1:3 <root> A key must be plain text.'] },
  {
    it: 'a null character',
    lines: ['trail:', '  x: a\0b'],
    problems: ['2:7 <root> The character U+0000 is not allowed in YAML; remove it.'],
  },
  {
    it: 'half a surrogate pair',
    lines: ['version: 1', '# \ud83d'],
    problems: ['2:3 <root> The character U+D83D is not allowed in YAML; remove it.'],
  },
];

describe('a template may not have', () => {
  it.each(wrong)('$it', ({ lines, problems }) => {
    expect(problemsIn(lines.join('\n'))).toEqual(problems);
  });

  it('more bytes than the limit, however few characters they are', () => {
    const tooMany = ['1:1 <root> The template is too large; at most 65536 bytes are allowed.'];
    const fits = 'version: 1 #'.padEnd(TEMPLATE_MAX_BYTES, 'x');

    expect(problemsIn(fits)).toEqual([]);
    expect(problemsIn(`${fits}x`)).toEqual(tooMany);
    expect(problemsIn('version: 1 #'.padEnd(TEMPLATE_MAX_BYTES - 1, 'é'))).toEqual(tooMany);
  });
});

function problemsIn(text: string): string[] {
  const parsed = parseTemplate(text);
  if (parsed.ok) return [];
  return parsed.problems.map(({ path, line, column, message }) => `${line}:${column} ${path || '<root>'} ${message}`);
}
