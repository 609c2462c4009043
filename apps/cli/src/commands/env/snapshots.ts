import { listSnapshots } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given } from '../../resources/options.ts';
import { formatState, spanText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'Lists snapshots, newest first. A snapshot is created whenever what runs, or what is known about it, changes.',
  examples: [
    { say: 'The last ten', run: 'waymark env snapshots prod --limit 10' },
    { say: 'Snapshots 5 and later', run: 'waymark env snapshots prod --interval 5..NOW' },
  ],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .option('--interval <a..b>', 'A..B, each N, -N, ~N, or NOW')
      .option('--reverse', 'list oldest first')
      .addOption(limitOption()),
  async run(session, [name], { interval, reverse, limit }) {
    const org = session.need('org');
    const snapshots = await listItems(
      session,
      session.client().items(listSnapshots, {
        params: { org, env_name: name },
        query: given({ interval, reverse: reverse ? ('true' as const) : undefined, per_page: pageSize(limit, 100) }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: snapshots,
      rows: rowsOf({
        items: snapshots,
        columns: [
          { title: 'state', of: ({ compliance }) => compliance, format: formatState },
          { title: 'snapshot', of: ({ index }) => `${name}#${index}` },
          { title: 'created', of: ({ from }) => showTime(from, session) },
          { title: 'duration', of: ({ duration }) => spanText(duration) },
          { title: 'artifacts', of: ({ artifact_count }) => artifact_count },
          { title: 'cause', of: ({ trigger }) => trigger },
        ],
        name: ({ index }) => `${name}#${index}`,
        none: "No snapshots yet. Report what runs with 'waymark snapshot'.",
      }),
      page: session.pageOf(org, 'environments', name),
    };
  },
});
