import { listControls } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given } from '../../resources/options.ts';
import { tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [
    { say: 'All controls', run: 'waymark control list' },
    { say: 'Archived controls', run: 'waymark control list --archived' },
  ],
  build: (command) =>
    command
      .option('--search <text>', 'only controls whose name or identifier contains this text (case-insensitive)')
      .option('--tag <key[:value]>', 'only controls with this tag; repeat to require several', collect)
      .option('--archived', 'list archived controls instead')
      .addOption(limitOption()),
  async run(session, _, { search, tag, archived, limit }) {
    const org = session.need('org');
    const controls = await listItems(
      session,
      session.client().items(listControls, {
        params: { org },
        query: given({
          search,
          tag,
          archived: archived ? ('true' as const) : undefined,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: controls,
      rows: rowsOf({
        items: controls,
        columns: [
          { title: 'identifier', of: ({ identifier }) => identifier },
          { title: 'name', of: ({ name }) => name },
          { title: 'policies', of: ({ policies_referencing }) => policies_referencing.join(', ') },
          { title: 'version', of: ({ version }) => version, wide: true },
          { title: 'created', of: ({ created_at }) => showTime(created_at, session), wide: true },
          { title: 'tags', of: ({ tags }) => tagsText(tags), wide: true },
          { title: 'description', of: ({ description }) => description, wide: true },
        ],
        name: ({ identifier }) => identifier,
        none: "No controls found. Create one with 'waymark control create IDENTIFIER --name NAME'.",
      }),
      page: session.pageOf(org, 'controls'),
    };
  },
});
