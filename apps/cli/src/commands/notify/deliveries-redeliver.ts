import { Option } from '@commander-js/extra-typings';
import { redeliver, redeliverRange } from '@waymark/contract';
import { given, timesOf } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { findNotification } from './find-notification.ts';

export const command = defineCommand({
  description: 'Queues a delivery again, with the same id and content. With --since, queues several, oldest first.',
  examples: [
    { say: 'One', run: 'waymark notify deliveries redeliver 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d' },
    { say: 'All that failed in the last 24 hours', run: 'waymark notify deliveries redeliver --since 24h --yes' },
  ],
  settings: ['yes'],
  build: (command) =>
    command
      .argument('[id]', 'id of the delivery')
      .option('--since <time>', 'all deliveries since this time: 24h, or 2026-11-01')
      .option('--until <time>', 'end of the range (default: now)')
      .addOption(
        new Option('--state <state>', 'with --since: only deliveries in this state (default: failed)').choices([
          'failed',
          'dropped',
          'delivered',
          'all',
        ] as const),
      )
      .option('--target <id>', 'with --since: only deliveries to this target')
      .option('--notification <name>', 'with --since: only deliveries of this notification (name or number)'),
  async run(session, [delivery_id], { state, target, notification, ...times }) {
    const { from, to = session.io.now().getTime() / 1000 } = timesOf(session, times);
    if ((delivery_id === undefined) === (from === undefined)) {
      throw usageError('The id of the delivery is missing', 'Add the id of a delivery, or --since TIME');
    }
    if (delivery_id !== undefined) return sendOneAgain(session, delivery_id);
    const number = notification === undefined ? undefined : (await findNotification(session, notification)).number;
    const which = given({ state, target_id: target, notification: number });
    await confirm(session, `This redelivers all ${state ?? 'failed'} messages of that period`);
    return sendAllAgain(session, { ...which, from_timestamp: from ?? 0, to_timestamp: to });
  },
});

async function sendOneAgain(session: Session, delivery_id: string): Promise<Outcome> {
  const delivery = await session
    .client()
    .call(redeliver, { params: { org: session.need('org'), delivery_id }, signal: session.io.signal });
  return { data: delivery, text: `Delivery ${delivery.id} to ${delivery.target.to} is queued again` };
}

async function sendAllAgain(
  session: Session,
  range: { from_timestamp: number; to_timestamp: number; state?: 'failed' | 'dropped' | 'delivered' | 'all' },
): Promise<Outcome> {
  const params = { org: session.need('org') };
  let redelivered = 0;
  let after: string | null = null;
  do {
    const answer: { redelivered: number; next: string | null } = await session.client().call(redeliverRange, {
      params,
      body: { ...range, ...(after !== null && { after }) },
      signal: session.io.signal,
    });
    redelivered += answer.redelivered;
    after = answer.next;
    if (after !== null) session.detail(`${redelivered} so far`);
  } while (after !== null);
  return {
    data: { redelivered },
    text: `${redelivered} ${redelivered === 1 ? 'message is' : 'messages are'} sent again`,
  };
}
