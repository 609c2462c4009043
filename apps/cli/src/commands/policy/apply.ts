import { basename, extname } from 'node:path';
import { given } from '../../resources/options.ts';
import { sendPolicy } from '../../resources/put-policy.ts';
import { readInput } from '../../resources/read-input.ts';
import { inWords, noteDryRun } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Makes the policy, or a new version of it if the text differs from the newest; the environments that it is ' +
    'attached to are judged by it at once. Doing it twice changes nothing. It is named after the file unless a name ' +
    'is given.',
  examples: [
    { say: 'The policy prod-release', run: 'waymark policy apply -f prod-release.yml' },
    { say: 'With a name of its own', run: "waymark policy create prod-release -f policy.yml --description 'For prod'" },
    { say: 'What would be refused?', run: 'waymark policy apply prod-release -f policy.yml --dry-run' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('[name]', 'name of the policy; that of the file unless given')
      .requiredOption('-f, --file <file>', 'the policy, YAML; - is standard input')
      .option('--description <text>', 'what it is about')
      .option('--comment <text>', 'what is new in this version'),
  async run(session, [name], { file, description, comment }) {
    const chosen = name ?? nameFrom(file);
    const change = { policy_yaml: await readInput(session, file), ...given({ description, comment }) };
    const { put, policy } = await sendPolicy(session, chosen, change, session.settings.dryRun === true);
    noteDryRun(session);
    const version = policy.versions.at(-1)?.version ?? 0;
    const judged =
      put === 'updated' && policy.consuming_envs.length > 0
        ? `; it ${session.settings.dryRun ? 'would judge' : 'judges'} ${policy.consuming_envs.join(', ')}`
        : '';
    return {
      data: policy,
      text: `${inWords(session, `Policy '${chosen}' ${put}`)}, version ${version}${judged}`,
      page: session.pageOf(session.need('org'), 'policies', chosen),
    };
  },
});

function nameFrom(file: string): string {
  if (file === '-') throw usageError('No name is given', 'Give NAME: standard input has none');
  return basename(file, extname(file));
}
