import { deleteNotificationConfig } from '@waymark/contract';
import { confirmed, noteDryRun, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { configOutcome, typeArgument } from './config-text.ts';

export const command = defineCommand({
  description: 'Deletes the configured targets. Waymark then notifies the default recipients again.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark notify config delete api_key_expiry --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.addArgument(typeArgument()),
  async run(session, [notification_type]) {
    await confirmed(session, `This deletes the targets of ${notification_type}`);
    const params = { org: session.need('org'), notification_type };
    const config = await session.client().call(deleteNotificationConfig, { params, ...writing(session) });
    noteDryRun(session);
    return configOutcome(session, config);
  },
});
