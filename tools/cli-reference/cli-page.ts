import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalog } from '../../apps/cli/src/catalog/catalog.ts';
import type { CatalogEntry, CatalogGroup } from '../../apps/cli/src/catalog/catalog-entry.ts';
import { commandOf } from '../../apps/cli/src/main.ts';
import type { CommandDefinition } from '../../apps/cli/src/run/command.ts';
import { endings, exitCodes } from '../../apps/cli/src/run/exit-codes.ts';
import { flagLines, usageOf } from '../../apps/cli/src/run/help.ts';
import { otherVariables } from '../../apps/cli/src/run/help-topics.ts';
import { type AnySettingName, commandSettings, globalSettings, settingOf } from '../../apps/cli/src/run/settings.ts';

type Command = ReturnType<typeof commandOf>;

/** The reference of the command line: handwritten text, with the program's own descriptions in their places. */
export async function cliPage(): Promise<string> {
  const template = readFileSync(join(import.meta.dirname, 'cli.md'), 'utf8');
  const parts: Readonly<Record<string, string>> = {
    'exit-codes': table(['code', 'meaning'], exitCodeRows()),
    variables: table(['variable', 'flag', 'description'], variableRows()),
    'other-variables': table(['variable without a flag', 'description'], otherVariableRows()),
    commands: catalog.filter(isShown).map(overview).join('\n\n'),
    'global-flags': flagTable(flagLines(Object.keys(globalSettings) as AnySettingName[])),
    reference: (await Promise.all(catalog.filter(isShown).map(groupReference))).join('\n\n'),
  };
  return template.replaceAll(/\{\{([a-z-]+)\}\}/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`cli.md asks for '${name}', which there is not`);
    return part;
  });
}

const code = (text: string) => `\`${text}\``;
const isShown = ({ entries }: CatalogGroup) => entries.length > 0;
const anchor = ({ path }: CatalogEntry) => `waymark-${path.replaceAll(' ', '-')}`;

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function exitCodeRows(): string[][] {
  return (Object.keys(endings) as (keyof typeof endings)[]).map((ending) => [
    String(exitCodes[ending]),
    endings[ending],
  ]);
}

function variableRows(): string[][] {
  const names = [...Object.keys(globalSettings), ...Object.keys(commandSettings)] as AnySettingName[];
  return names.flatMap((name) => {
    const { env, flags, description } = settingOf(name);
    return env === undefined ? [] : [[code(env), code(flags), description]];
  });
}

function otherVariableRows(): string[][] {
  return otherVariables.map(([names, text]) => [names.split(', ').map(code).join(', '), text]);
}

function overview({ title, entries }: CatalogGroup): string {
  const rows = entries.map((entry) => [`[${code(`waymark ${entry.path}`)}](#${anchor(entry)})`, entry.summary]);
  return `### ${title}\n\n${table(['command', 'description'], rows)}`;
}

async function groupReference({ title, entries }: CatalogGroup): Promise<string> {
  const commands = await Promise.all(
    entries.map(async (entry) => {
      const { command: definition } = await entry.load();
      return commandReference(entry, definition, commandOf(entry, definition));
    }),
  );
  return [`## Reference: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, ...commands].join('\n\n');
}

function commandReference(entry: CatalogEntry, definition: CommandDefinition, command: Command): string {
  const { description, examples, settings } = definition;
  const args = command.registeredArguments.map((argument) => [
    code(argument.name().toUpperCase()),
    argument.description,
  ]);
  const shown = examples.map(({ say, run }) => `# ${say}\n${run}`).join('\n');
  return [
    `### waymark ${entry.path}`,
    `${entry.summary}.${description === undefined ? '' : ` ${description}`}`,
    `\`\`\`text\n${usageOf(entry, command)}\n\`\`\``,
    args.length > 0 && table(['argument', 'description'], args),
    flagTable(flagLines(settings, command)),
    shown !== '' && `\`\`\`sh\n${shown}\n\`\`\``,
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n\n');
}

function flagTable(lines: readonly (readonly [string, string])[]): string {
  return lines.length === 0
    ? ''
    : table(
        ['flag', 'description'],
        lines.map(([flags, text]) => [code(flags), text]),
      );
}
