import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/permissions.md'), 'utf8');

/** What of its kind an operation changes that is always under change control, as the page on permissions has it. */
const documented = new Map(
  [...PAGE.matchAll(/^\| `(\w+)` \| (\w+) \| always \|$/gm)].map(([, id = '', kind = '']) => [id, kind]),
);

export function documentedControl(id: string): string | undefined {
  return documented.get(id);
}
