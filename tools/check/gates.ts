import { vale } from '../services/install.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Gate extends Program {
  readonly name: string;
}

/** Tests that hold rules of the house. */
export const houseRules: Gate = {
  name: 'boundaries of features, terms of the glossary, rules of migrations, state of packages, region tables',
  command: 'vitest',
  args: [
    ...['run', '--project', 'pure'],
    ...['tools/import-graph.test.ts', 'tools/words.test.ts', 'tools/migrations.test.ts'],
    ...['tools/module-state.test.ts', 'tools/region-tables.test.ts'],
  ],
};

/** Of these files, or of everything that people read. */
export const proseOf = (...files: string[]): Program => ({
  command: process.execPath,
  args: ['tools/prose/lint.ts', vale.path, ...files],
});

/** The longest first. */
export const gates: readonly Gate[] = [
  { name: 'lint with types', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'format, lint and boundaries', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'terms, headings and spelling of documents and strings', ...proseOf() },
  { name: 'types of the web application', command: 'tsc', args: ['-p', 'apps/web'] },
  { name: 'dead code', command: 'knip', args: [] },
  houseRules,
];
