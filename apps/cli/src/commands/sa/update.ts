import { updateServiceAccount } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { inWords, noteDryRun, requireChange, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { roleOption } from '../member/role-option.ts';

export const command = defineCommand({
  description: 'A new role applies to its keys from their next request on.',
  examples: [{ say: 'Change the role', run: 'waymark sa update builder --role reader' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the service account')
      .addOption(roleOption())
      .option('--display-name <text>', 'name to show instead of NAME')
      .option('--no-display-name', 'remove the display name')
      .option('--description <text>', 'purpose of the service account')
      .option('--no-description', 'remove the description'),
  async run(session, [name], { role, description, displayName }) {
    const change = given({
      privilege: role,
      display_name: textOf(displayName),
      description: textOf(description),
    });
    requireChange(change, 'sa update');
    const account = await session.client().call(updateServiceAccount, {
      params: { org: session.need('org'), name },
      body: change,
      ...writing(session),
    });
    noteDryRun(session);
    return {
      data: account,
      text: inWords(session, `Service account '${account.name}' updated: role ${account.privilege}`),
    };
  },
});

/** A negatable flag is true by default. */
function textOf(value: string | boolean | undefined): string | null | undefined {
  if (value === false) return null;
  return typeof value === 'string' ? value : undefined;
}
