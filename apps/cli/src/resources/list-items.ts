import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Session } from '../run/session.ts';

export const limitOption = () =>
  new Option('--limit <number>', 'maximum number of results, 0 for all (default: 100)')
    .argParser(readLimit)
    .default(100);

function readLimit(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, 0 or greater.');
}

/** Returns as many as the limit allows, with a note when there are more. */
export async function listItems<Item>(session: Session, items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    if (limit > 0 && taken.length === limit) {
      session.say(`Only the first ${limit === 1 ? 'is' : `${limit} are`} shown. Use '--limit 0' to show all.`);
      break;
    }
    taken.push(item);
  }
  return taken;
}

/** Returns the page size. */
export function pageSize(limit: number, max: number): number {
  return limit === 0 ? max : Math.min(limit + 1, max);
}
