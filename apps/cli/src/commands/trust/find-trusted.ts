import { CliError } from '../../run/cli-error.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** By id or by name. */
export function findTrusted<Item extends Named>(
  items: readonly Item[],
  asked: string,
  what: string,
  list: string,
): Item {
  const found = items.find(({ id }) => id === asked) ?? items.find(({ name }) => name === asked);
  if (found) return found;
  throw new CliError('notFound', `No ${what} '${asked}'`, { fix: `Run 'waymark ${list}' to list existing ones` });
}
