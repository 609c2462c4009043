import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/permissions.md'), 'utf8');

/** Which operations are always under change control, according to the page on permissions. */
const documented = new Map(
  [...PAGE.matchAll(/^\| `(\w+)` \| (\w+) \| always \|$/gm)].map(([, id = '', kind = '']) => [id, kind]),
);

export function documentedControl(id: string): string | undefined {
  return documented.get(id);
}
