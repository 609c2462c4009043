import { Option } from '@commander-js/extra-typings';
import { listDeliveries } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given, timesOf } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';
import { findNotification } from './find-notification.ts';
import { triggerText } from './triggers.ts';

export const command = defineCommand({
  description: 'Lists messages of the last 30 days with their targets and results.',
  examples: [
    { say: 'The newest deliveries', run: 'waymark notify deliveries list' },
    { say: 'What failed today', run: 'waymark notify deliveries list --state failed --since 24h' },
  ],
  build: (command) =>
    command
      .addOption(
        new Option('--state <state>', 'only deliveries in this state').choices([
          'waiting',
          'delivered',
          'failed',
          'dropped',
        ]),
      )
      .option('--target <id>', 'only deliveries to this target')
      .option('--notification <name>', 'only deliveries of this notification (name or number)')
      .option('--since <time>', 'only since this time: 24h, or 2026-11-01')
      .option('--until <time>', 'only until this time')
      .addOption(limitOption()),
  async run(session, _, { state, target, notification, limit, ...times }) {
    const { from, to } = timesOf(session, times);
    const number = notification === undefined ? undefined : (await findNotification(session, notification)).number;
    const deliveries = await listItems(
      session,
      session.client().items(listDeliveries, {
        params: { org: session.need('org') },
        query: given({
          state: state as 'failed' | undefined,
          target_id: target,
          notification: number,
          from_timestamp: from,
          to_timestamp: to,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: deliveries,
      rows: rowsOf({
        items: deliveries,
        columns: [
          { title: 'time', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'state', of: ({ state }) => state },
          { title: 'event', of: ({ event_type }) => triggerText(event_type) },
          { title: 'subject', of: ({ environment, flow }) => environment ?? flow },
          { title: 'to', of: ({ target }) => target.to },
          { title: 'attempts', of: ({ attempt_count }) => attempt_count },
          { title: 'id', of: ({ id }) => id },
          { title: 'notification', of: ({ notification }) => notification?.name, wide: true },
          { title: 'target', of: ({ target }) => target.id, wide: true },
          { title: 'next attempt', of: ({ next_attempt_at }) => showTime(next_attempt_at, session), wide: true },
        ],
        name: ({ id }) => id,
        none: 'No deliveries found.',
      }),
    };
  },
});
