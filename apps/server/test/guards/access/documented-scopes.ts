import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/permissions.md'), 'utf8');

/** The scopes with which a key may call each operation, from the last column of the page on permissions. */
const documented = new Map(
  [...PAGE.matchAll(/^\| `(\w+)` \| `[A-Z]+ [^`]+` \|.*\| ([a-z, ]+|–) \|$/gm)].map(([, id = '', cell = '']) => [
    id,
    cell === '–' ? [] : cell.split(', '),
  ]),
);

export function documentedScopes(id: string): readonly string[] {
  const scopes = documented.get(id);
  if (!scopes) throw new Error(`docs/permissions.md has no operation ${id}`);
  return scopes;
}
