import { getNotificationConfig } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { configOutcome, typeArgument } from './config-text.ts';

export const command = defineCommand({
  examples: [{ say: 'Recipients of key expiry notifications', run: 'waymark notify config get api_key_expiry' }],
  build: (command) => command.addArgument(typeArgument()),
  async run(session, [notification_type]) {
    const params = { org: session.need('org'), notification_type };
    return configOutcome(
      session,
      await session.client().call(getNotificationConfig, { params, signal: session.io.signal }),
    );
  },
});
