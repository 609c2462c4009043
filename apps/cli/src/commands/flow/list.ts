import { listFlows } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given } from '../../resources/options.ts';
import { tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [
    { say: 'All flows', run: 'waymark flow list' },
    { say: 'Only names, one per line', run: 'waymark flow list -o name' },
    {
      say: 'Flows of a team, most recently active first',
      run: 'waymark flow list --tag team:shop --sort latest_activity',
    },
  ],
  build: (command) =>
    command
      .option('--search <text>', 'only flows whose name contains this text (case-insensitive)')
      .option('--tag <key[:value]>', 'only flows with this tag; repeat to require several', collect)
      .option('--sort <field>', 'name or latest_activity')
      .addOption(limitOption()),
  async run(session, _, { search, tag, sort, limit }) {
    const org = session.need('org');
    const flows = await listItems(
      session,
      session.client().items(listFlows, {
        params: { org },
        query: given({
          search_by_name: search,
          case_sensitive: search === undefined ? undefined : ('false' as const),
          tag,
          sort: sort as 'name' | undefined,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    const isFiltered = search !== undefined || tag !== undefined;
    return {
      data: flows,
      rows: rowsOf({
        items: flows,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'last activity', of: ({ latest_activity_at }) => showTime(latest_activity_at, session) },
          { title: 'deployed', of: ({ last_deployment_at }) => showTime(last_deployment_at, session) },
          { title: 'description', of: ({ description }) => description },
          { title: 'visibility', of: ({ visibility }) => visibility, wide: true },
          { title: 'tags', of: ({ tags }) => tagsText(tags), wide: true },
        ],
        name: ({ name }) => name,
        none: isFiltered
          ? "No flows match these filters. 'waymark flow list' lists all."
          : "No flows yet. Create one with 'waymark flow create NAME'.",
      }),
      page: session.pageOf(org, 'flows'),
    };
  },
});
