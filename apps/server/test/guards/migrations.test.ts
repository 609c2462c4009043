import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../migrations');

/** A database that has applied a migration never applies it again: a change to it would reach new installations only. */
it('no migration that somebody may have applied was changed', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  const sums = files.map((name) => `${hash('sha256', readFileSync(join(FOLDER, name)))}  ${name}\n`);

  expect(sums.join('')).toBe(readFileSync(join(FOLDER, 'SHA256SUMS'), 'utf8'));
});
