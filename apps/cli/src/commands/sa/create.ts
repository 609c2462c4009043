import { ApiError } from '@waymark/client';
import { createServiceAccount } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { inWords, noteDryRun, writing } from '../../resources/write.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { roleOption } from '../member/role-option.ts';

export const command = defineCommand({
  description:
    'A service account is an identity for programs. It starts without a key, and needs none if CI jobs are trusted ' +
    'to act as it.',
  examples: [
    { say: 'For pipelines', run: "waymark sa create builder --role member --description 'CI of the shop'" },
    { say: 'For a reporter', run: 'waymark sa create reporter --role snapshotter' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the service account: letters, digits, and hyphens')
      .addOption(roleOption().default('reader' as const))
      .option('--display-name <text>', 'name to show instead of NAME')
      .option('--description <text>', 'purpose of the service account'),
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
      session.say(
        `Create a key with 'waymark key create DESCRIPTION --sa ${name}', or trust CI jobs with 'waymark trust add'`,
      );
    return {
      data: account,
      text: inWords(session, `Service account '${account.name}' created: role ${account.privilege}`),
    };
  },
});

function refused(name: string, error: unknown): never {
  const isTaken = error instanceof ApiError && error.status === 400 && error.fields?.['name']?.startsWith('is taken');
  if (!isTaken) throw error;
  throw new CliError('conflict', `Service account '${name}' already exists`, {
    fix: `Show it with 'waymark sa get ${name}', or change it with 'waymark sa update ${name}'`,
    requestId: error.requestId,
    cause: error,
  });
}
