import type { CatalogGroup } from '../../catalog/catalog-entry.ts';
import { type CommandDefinition, defineCommand } from '../../run/command.ts';
import { candidatesFor } from './candidates.ts';

/**
 * Called by the scripts of `completion`. The word that is being typed comes last, after a colon, as it may be empty.
 */
export function completeOf(catalog: readonly CatalogGroup[]): CommandDefinition {
  const entries = catalog.flatMap((group) => group.entries);
  return defineCommand({
    examples: [{ say: 'Words that begin with sn', run: 'waymark __complete :sn' }],
    settings: ['flow'],
    build: (command) => command.argument('[words...]', 'the command line so far'),
    async run(session, [given]) {
      const words = given.slice(0, -1);
      const typed = given.at(-1)?.replace(/^:/, '') ?? '';
      const found = await candidatesFor(session, entries, { words, typed }).catch(() => []);
      return { data: found, text: found.join('\n') };
    },
  });
}
