import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../../apps/cli/src/run/version.ts';
import { addEntry, changelogEntry, notesOf } from './changelog.ts';

const SUBJECTS = [
  'web: report a refused download as an error',
  'runtime-verdicts: never overrule a later judgement',
  'tests, tools: settle re-evaluations by one helper',
  'tests, cli: keep evidence when the disk is full',
  'Merge pull request #7 from acme/fix',
  'docs: publish figures',
  'image: build the reporter',
];

const ENTRY = `## 1.2.3

### Server

- Never overrule a later judgement

### Web application

- Report a refused download as an error

### Command line

- Keep evidence when the disk is full

### Installation

- Build the reporter
`;

it('groups the subjects of commits, and leaves out what users do not notice', () => {
  expect(changelogEntry('1.2.3', SUBJECTS)).toBe(ENTRY);
  expect(changelogEntry('1.2.4', ['docs: fix a word'])).toBe('## 1.2.4\n\nNo changes that users notice.\n');
});

it('puts the newest entry first, and each version once', () => {
  const before = '# Changelog\n\nIntroduction.\n\n## 1.2.2\n\n- Older\n';
  const after = addEntry(before, ENTRY);
  expect(after).toBe(`# Changelog\n\nIntroduction.\n\n${ENTRY}\n## 1.2.2\n\n- Older\n`);
  expect(() => addEntry(after, ENTRY)).toThrow('has an entry "## 1.2.3" already');
  expect(notesOf(after, '1.2.2')).toBe('- Older\n');
  expect(() => notesOf(after, '1.2')).toThrow('no entry for 1.2');
});

it('has notes for the version of the sources', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  expect(notesOf(changelog, version).length).toBeGreaterThan(100);
});
