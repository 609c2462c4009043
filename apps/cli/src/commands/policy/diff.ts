import { getPolicy } from '@waymark/contract';
import { rawText } from '../../resources/raw-text.ts';
import { readInput } from '../../resources/read-input.ts';
import { unifiedDiff } from '../../resources/unified-diff.ts';
import { defineCommand } from '../../run/command.ts';
import type { Style } from '../../run/style.ts';

export const command = defineCommand({
  description: 'Compares the newest version with a file. Prints nothing if they are the same.',
  examples: [
    { say: 'Preview a change', run: 'waymark policy diff prod-release -f prod-release.yml' },
    {
      say: 'Detect drift in a pipeline',
      run: 'waymark policy diff prod-release -f prod-release.yml --exit-code',
    },
  ],
  build: (command) =>
    command
      .argument('<name>', 'name of the policy')
      .requiredOption('-f, --file <file>', 'policy file (YAML), or - for standard input')
      .option('--exit-code', 'exit with 6 if they differ'),
  async run(session, [name], { file, exitCode }) {
    const params = { org: session.need('org'), name };
    const { versions } = await session.client().call(getPolicy, { params, signal: session.io.signal });
    const newest = versions.at(-1);
    const diff = unifiedDiff(newest?.policy_yaml ?? '', await readInput(session, file), {
      before: `${name} version ${newest?.version ?? 0}`,
      after: file,
    });
    if (diff === '') session.say(`${file} is identical to version ${newest?.version ?? 0} of policy '${name}'`);
    return {
      data: { name, version: newest?.version ?? 0, same: diff === '', diff },
      text: (style) => painted(rawText(session, diff), style),
      ...(exitCode && diff !== '' && { ending: 'conflict' as const }),
    };
  },
});

function painted(diff: string, style: Style): string {
  if (!style.hasColours) return diff;
  return diff
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return style.good(line);
      if (line.startsWith('-')) return style.bad(line);
      return line.startsWith('@@') ? style.faint(line) : line;
    })
    .join('\n');
}
