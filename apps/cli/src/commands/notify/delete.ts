import { deleteAction } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { requireSomebody } from '../../run/confirm.ts';
import { findNotification } from './find-notification.ts';

export const command = defineCommand({
  description: 'Deletes the notification and drops messages that are not sent yet. Past deliveries stay visible.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark notify delete production-alerts --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<notification>', 'name or number of the notification'),
  async run(session, [asked]) {
    requireSomebody(session, `This deletes the notification '${asked}'`);
    const { name, number } = await findNotification(session, asked);
    await confirmed(session, `This deletes the notification '${name}' (number ${number})`);
    const message = await session
      .client()
      .call(deleteAction, { params: { org: session.need('org'), number: String(number) }, ...writing(session) });
    return outcomeOf(session, { number, name }, message);
  },
});
