import { listSnapshots } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given } from '../../resources/options.ts';
import { formatState, spanText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'The newest first. A snapshot is made when something changed: what runs, or what is known about it.',
  examples: [
    { say: 'The last ten', run: 'waymark env snapshots prod --limit 10' },
    { say: 'From the fifth on', run: 'waymark env snapshots prod --interval 5..NOW' },
  ],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .option('--interval <a..b>', 'A..B with N, -N, ~N or NOW on either side')
      .option('--reverse', 'the oldest first')
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
          { title: 'made', of: ({ from }) => showTime(from, session) },
          { title: 'held', of: ({ duration }) => spanText(duration) },
          { title: 'artifacts', of: ({ artifact_count }) => artifact_count },
          { title: 'because of', of: ({ trigger }) => trigger },
        ],
        name: ({ index }) => `${name}#${index}`,
        none: "There are no snapshots yet. 'waymark snapshot' reports what runs.",
      }),
      page: session.pageOf(org, 'environments', name),
    };
  },
});
