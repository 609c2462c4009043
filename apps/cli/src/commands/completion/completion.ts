import { Argument } from '@commander-js/extra-typings';
import type { CatalogEntry, CatalogGroup } from '../../catalog/catalog-entry.ts';
import { type CommandDefinition, defineCommand } from '../../run/command.ts';
import { flagsOf, isValued, loaded, nextWords } from './candidates.ts';
import { type Shell, scripts, type Words } from './scripts.ts';

export function completionOf(catalog: readonly CatalogGroup[]): CommandDefinition {
  const entries = catalog.flatMap((group) => group.entries);
  return defineCommand({
    description:
      'Commands and flags are completed locally. Names of flows, trails, environments, policies, and controls are ' +
      'fetched from the service, for at most 0.3 s, and cached for a minute.',
    examples: [
      { say: 'In ~/.bashrc', run: 'source <(waymark completion bash)' },
      { say: 'In ~/.config/fish/config.fish', run: 'waymark completion fish | source' },
    ],
    build: (command) =>
      command.addArgument(
        new Argument('<shell>', 'bash, zsh, fish, or pwsh').choices(['bash', 'zsh', 'fish', 'pwsh'] as const),
      ),
    async run(_, [shell]) {
      const script = scripts[shell as Shell](await knownWords(entries));
      return { data: { shell, script }, text: script };
    },
  });
}

async function knownWords(entries: readonly CatalogEntry[]): Promise<Words> {
  const commands = await Promise.all(
    entries.map(async (entry) => ({ path: entry.path, command: await loaded(entry) })),
  );
  const beginnings = new Set(entries.flatMap(({ path }) => beginningsOf(path.split(' '))));
  const groups = [...beginnings].map((beginning) => {
    const words = nextWords(entries, beginning === '' ? [] : beginning.split(' '));
    return [beginning, beginning === '' ? [...words, 'help'] : words] as const;
  });
  const valued = commands.flatMap(({ command }) =>
    command.options.filter(isValued).flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
  );
  return {
    after: [...groups, ...commands.map(({ path, command }) => [path, flagsOf(command)] as const)],
    valued: [...new Set(valued)].sort(),
  };
}

/** `env policies attach` → nothing, `env`, `env policies`. */
function beginningsOf(words: readonly string[]): string[] {
  return words.map((_, at) => words.slice(0, at).join(' '));
}
