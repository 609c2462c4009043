import { readdirSync, readFileSync } from 'node:fs';
import type { Sources } from './reader.ts';

const FIXTURES = new URL('../fixtures/', import.meta.url);

export interface Fixture {
  env: Record<string, string>;
  /** What is an object here is JSON in the file. */
  files: Record<string, unknown>;
  /** What git answers, by its arguments with spaces between. */
  git: Record<string, string>;
  expected: Record<string, unknown>;
  mergeCommit?: string;
  marks?: string[];
}

export const fixtureNames = readdirSync(FIXTURES)
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

export function fixture(name: string): Fixture {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8'));
}

export function sourcesOf({ files, git }: Pick<Fixture, 'files' | 'git'>): Sources {
  return {
    readFile: (path) => {
      const content = files[path];
      return content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
    },
    git: (...args) => git[args.join(' ')],
  };
}
