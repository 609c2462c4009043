import { validatePolicy } from '@waymark/contract';
import { parsePolicy } from '@waymark/policy';
import { problemLines } from '../../resources/policy-offline.ts';
import { readInput } from '../../resources/read-input.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'Lets the service check the file, and prints every problem with its line and column. Records nothing. With ' +
    '--offline, it checks everything except whether the controls exist, without the service.',
  examples: [
    { say: 'In a pre-commit hook', run: 'waymark policy lint --offline prod-release.yml' },
    { say: 'With the controls of your organization', run: 'waymark policy lint prod-release.yml' },
  ],
  build: (command) =>
    command
      .argument('[file]', 'policy file (YAML), or - for standard input')
      .option('-f, --file <file>', 'same as FILE')
      .option('--offline', 'check without the service; controls are not looked up'),
  async run(session, [path], options) {
    const file = onlyFile(path, options.file);
    const policy_yaml = await readInput(session, file);
    const checked = options.offline ? checkOffline(policy_yaml) : await checkByService(session, policy_yaml);
    const lines = problemLines(file, checked.problems).join('\n');
    return {
      data: checked,
      text: (style) => (checked.valid ? `${style.good('✓')} ${file} is valid` : lines),
      ...(!checked.valid && { ending: 'usage' as const }),
    };
  },
});

function checkByService(session: Session, policy_yaml: string) {
  return session.client().call(validatePolicy, {
    params: { org: session.need('org') },
    body: { policy_yaml },
    signal: session.io.signal,
  });
}

function checkOffline(policy_yaml: string) {
  const parsed = parsePolicy(policy_yaml);
  const problems = 'problems' in parsed ? parsed.problems : [];
  return { valid: problems.length === 0, problems };
}

function onlyFile(path: string | undefined, flag: string | undefined): string {
  if (path !== undefined && flag !== undefined)
    throw usageError('FILE and --file cannot be combined', 'Use one of them');
  const file = path ?? flag;
  if (file !== undefined) return file;
  throw usageError('FILE is missing', 'Add FILE, or - for standard input');
}
