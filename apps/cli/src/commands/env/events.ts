import { listEnvironmentEvents } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given, timesOf } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { eventColumns } from '../log/event-columns.ts';

export const command = defineCommand({
  description: 'What started, exited and changed, the newest first. Of a logical environment: in its members.',
  examples: [
    { say: 'Of the last week', run: 'waymark env events prod --since 7d' },
    { say: 'All of it, for a spreadsheet', run: 'waymark env events prod --limit 0 -o csv' },
  ],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .option('--since <time>', 'only from then on: 7d, 2026-11-01')
      .option('--until <time>', 'only up to then')
      .option('--interval <a..b>', 'of these snapshots: A..B with N, -N, ~N or NOW on either side')
      .option('--repo <name>', 'only artifacts of this repository; can be repeated', collect)
      .option('--reverse', 'the oldest first')
      .addOption(limitOption()),
  async run(session, [name], { interval, repo, reverse, limit, ...span }) {
    const org = session.need('org');
    const { from, to } = timesOf(session, span);
    const events = await listItems(
      session,
      session.client().items(listEnvironmentEvents, {
        params: { org, env_name: name },
        query: given({
          interval,
          repo_name: repo,
          reverse: reverse ? ('true' as const) : undefined,
          start_ts: from,
          end_ts: to,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: events,
      rows: rowsOf({
        items: events,
        columns: eventColumns(session),
        name: ({ environment_name, snapshot_index }) => `${environment_name}#${snapshot_index}`,
        none: 'Nothing happened there in that time.',
      }),
      page: session.pageOf(org, 'environments', name, 'events'),
    };
  },
});
