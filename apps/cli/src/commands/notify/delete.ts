import { deleteAction } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { requireSomebody } from '../../run/confirm.ts';
import { findNotification } from './find-notification.ts';

export const command = defineCommand({
  description: 'What waits for its targets is dropped. What was sent can still be looked up.',
  examples: [{ say: 'Without being asked', run: 'waymark notify delete production-alerts --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<notification>', 'its name or number'),
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
