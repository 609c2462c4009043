import { putNotificationConfig } from '@waymark/contract';
import { noteDryRun, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { configOutcome, typeArgument } from './config-text.ts';
import { chatOption, emailOption, targetsOf, webhookOption } from './target-flags.ts';

export const command = defineCommand({
  description: 'For admins. The targets replace existing ones and the default recipients.',
  examples: [
    {
      say: 'Send key expiry notifications to a mailbox',
      run: 'waymark notify config set api_key_expiry --email keys@example.org',
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command.addArgument(typeArgument()).addOption(webhookOption()).addOption(chatOption()).addOption(emailOption()),
  async run(session, [notification_type], flags) {
    const targets = targetsOf(flags);
    if (targets.length === 0) {
      throw usageError(
        'No target is set',
        "Add --webhook, --chat, or --email; 'notify config delete' restores the default recipients",
      );
    }
    const config = await session.client().call(putNotificationConfig, {
      params: { org: session.need('org'), notification_type },
      body: { targets },
      ...writing(session),
    });
    noteDryRun(session);
    return configOutcome(session, config);
  },
});
