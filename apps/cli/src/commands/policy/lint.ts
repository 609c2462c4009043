import { validatePolicy } from '@waymark/contract';
import { readInput } from '../../resources/read-input.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description: 'Lets the service check the file, and prints every problem with its line and column. Records nothing.',
  examples: [{ say: 'In a pre-commit hook', run: 'waymark policy lint prod-release.yml' }],
  build: (command) =>
    command
      .argument('[file]', 'policy file (YAML), or - for standard input')
      .option('-f, --file <file>', 'same as FILE'),
  async run(session, [path], options) {
    const file = onlyFile(path, options.file);
    const checked = await session.client().call(validatePolicy, {
      params: { org: session.need('org') },
      body: { policy_yaml: await readInput(session, file) },
      signal: session.io.signal,
    });
    const lines = checked.problems.map(
      ({ line, column, path, message }) => `${file}:${line}:${column}: ${path ? `${path}: ` : ''}${oneLine(message)}`,
    );
    return {
      data: checked,
      text: (style) => (checked.valid ? `${style.good('✓')} ${file} is valid` : lines.join('\n')),
      ...(!checked.valid && { ending: 'usage' as const }),
    };
  },
});

function onlyFile(path: string | undefined, flag: string | undefined): string {
  if (path !== undefined && flag !== undefined)
    throw usageError('FILE and --file cannot be combined', 'Use one of them');
  const file = path ?? flag;
  if (file !== undefined) return file;
  throw usageError('FILE is missing', 'Add FILE, or - for standard input');
}
