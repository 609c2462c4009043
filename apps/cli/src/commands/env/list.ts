import { type EnvironmentType, environmentTypes, listEnvironments } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given } from '../../resources/options.ts';
import { formatState, tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [
    { say: 'All environments, with their verdicts', run: 'waymark env list' },
    { say: 'Filter by type and tag', run: 'waymark env list --type K8S --tag stage:prod' },
  ],
  build: (command) =>
    command
      .option('--search <text>', 'only environments whose name contains this text (case-insensitive)')
      .option('--type <type>', `${environmentTypes.join(', ')}; repeat to match any of several`, collect)
      .option('--tag <key[:value]>', 'only environments with this tag; repeat to require several', collect)
      .option('--sort <field>', 'name, last_modified_at, or last_changed_at')
      .addOption(limitOption()),
  async run(session, _, { search, type, tag, sort, limit }) {
    const org = session.need('org');
    const environments = await listItems(
      session,
      session.client().items(listEnvironments, {
        params: { org },
        query: given({
          name: search,
          type: type as EnvironmentType[] | undefined,
          tag,
          sort: sort as 'name' | undefined,
          per_page: pageSize(limit, 50),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    const isFiltered = search !== undefined || type !== undefined || tag !== undefined;
    return {
      data: environments,
      rows: rowsOf({
        items: environments,
        columns: [
          { title: 'state', of: ({ compliance }) => compliance, format: formatState },
          { title: 'name', of: ({ name }) => name },
          { title: 'type', of: ({ type }) => type },
          { title: 'snapshot', of: ({ latest_snapshot_index: index }) => (index === 0 ? '' : index) },
          { title: 'changed', of: ({ last_changed_at }) => showTime(last_changed_at, session) },
          {
            title: 'reported',
            of: ({ last_reported_at, stale }) => `${showTime(last_reported_at, session)}${stale ? ' (stale)' : ''}`,
          },
          { title: 'policies', of: ({ policies }) => policies.join(', ') },
          { title: 'tags', of: ({ tags }) => tagsText(tags), wide: true },
          { title: 'description', of: ({ description }) => description, wide: true },
        ],
        name: ({ name }) => name,
        none: isFiltered
          ? "No environments match these filters. 'waymark env list' lists all."
          : "No environments yet. Create one with 'waymark env create NAME --type TYPE'.",
      }),
      page: session.pageOf(org, 'environments'),
    };
  },
});
