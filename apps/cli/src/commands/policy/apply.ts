import { basename, extname } from 'node:path';
import { given } from '../../resources/options.ts';
import { sendPolicy } from '../../resources/put-policy.ts';
import { readInput } from '../../resources/read-input.ts';
import { inWords, noteDryRun } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Creates the policy, or a new version if the text differs from the newest; environments it is attached to are ' +
    're-evaluated immediately. Running the command again changes nothing. Without NAME, the policy is named after ' +
    'the file.',
  examples: [
    { say: 'Create or update the policy prod-release', run: 'waymark policy apply -f prod-release.yml' },
    {
      say: 'With a name and a description',
      run: "waymark policy create prod-release -f policy.yml --description 'For prod'",
    },
    { say: 'Check without recording', run: 'waymark policy apply prod-release -f policy.yml --dry-run' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('[name]', 'name of the policy (default: the name of the file)')
      .requiredOption('-f, --file <file>', 'policy file (YAML), or - for standard input')
      .option('--description <text>', 'description of the policy')
      .option('--comment <text>', 'comment on this version'),
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
  if (file === '-') throw usageError('NAME is missing', 'Add NAME, because standard input has no file name');
  return basename(file, extname(file));
}
