import { listEnvironmentEvents } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given, timesOf } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { eventColumns } from '../log/event-columns.ts';

export const command = defineCommand({
  description:
    'Lists what started, exited, and changed, newest first. For a logical environment, lists the events of its ' +
    'members.',
  examples: [
    { say: 'Of the last week', run: 'waymark env events prod --since 7d' },
    { say: 'All of it, for a spreadsheet', run: 'waymark env events prod --limit 0 -o csv' },
  ],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .option('--since <time>', 'only since this time: 7d, 2026-11-01')
      .option('--until <time>', 'only until this time')
      .option('--interval <a..b>', 'only these snapshots: A..B, each N, -N, ~N, or NOW')
      .option('--repo <name>', 'only artifacts of this repository; can be repeated', collect)
      .option('--reverse', 'list oldest first')
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
        none: 'No events match.',
      }),
      page: session.pageOf(org, 'environments', name, 'events'),
    };
  },
});
