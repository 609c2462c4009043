export interface Gate {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export const featureBoundaries: Gate = {
  name: 'boundaries of features',
  command: 'vitest',
  args: ['run', '--project', 'pure', 'tools/import-graph.test.ts'],
};

export const glossaryTerms: Gate = {
  name: 'terms of the glossary',
  command: 'vitest',
  args: ['run', '--project', 'pure', 'tools/words.test.ts'],
};

export const migrationRules: Gate = {
  name: 'rules of migrations',
  command: 'vitest',
  args: ['run', '--project', 'pure', 'tools/migrations.test.ts'],
};

export const gates: readonly Gate[] = [
  { name: 'format, lint and boundaries', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  featureBoundaries,
  glossaryTerms,
  migrationRules,
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'types of the web application', command: 'tsc', args: ['-p', 'apps/web'] },
  { name: 'lint with types', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'dead code', command: 'knip', args: [] },
];
