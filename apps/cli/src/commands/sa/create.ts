import { ApiError } from '@waymark/client';
import { createServiceAccount } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { inWords, noteDryRun, writing } from '../../resources/write.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { roleOption } from '../member/role-option.ts';

export const command = defineCommand({
  description:
    'A service account is for programs. It has no key yet, and needs none where CI jobs are trusted to be it.',
  examples: [
    { say: 'For pipelines', run: "waymark sa create builder --role member --description 'CI of the shop'" },
    { say: 'For a reporter of what runs', run: 'waymark sa create reporter --role snapshotter' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'letters, digits and hyphens')
      .addOption(roleOption().default('reader' as const))
      .option('--display-name <text>', 'what people read instead of the name')
      .option('--description <text>', 'what it is for'),
  async run(session, [name], { role, description, displayName }) {
    const account = await session
      .client()
      .call(createServiceAccount, {
        params: { org: session.need('org') },
        body: given({ name, privilege: role, description, display_name: displayName }),
        ...writing(session),
      })
      .catch((error: unknown) => refused(name, error));
    noteDryRun(session);
    if (!session.settings.dryRun)
      session.say(`'waymark key create DESCRIPTION --sa ${name}' makes a key, 'waymark trust add' lets CI jobs be it`);
    return {
      data: account,
      text: inWords(session, `Service account '${account.name}' was created as ${account.privilege}`),
    };
  },
});

function refused(name: string, error: unknown): never {
  const isTaken = error instanceof ApiError && error.status === 400 && error.fields?.['name']?.startsWith('is taken');
  if (!isTaken) throw error;
  throw new CliError('conflict', `There is a service account '${name}' already`, {
    fix: `'waymark sa get ${name}' shows it, 'waymark sa update ${name}' changes it`,
    requestId: error.requestId,
    cause: error,
  });
}
