import { listControls } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given } from '../../resources/options.ts';
import { tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [
    { say: 'The catalog', run: 'waymark control list' },
    { say: 'What is archived', run: 'waymark control list --archived' },
  ],
  build: (command) =>
    command
      .option('--search <text>', 'part of the name or the identifier, in any case')
      .option('--tag <key[:value]>', 'only those with this tag; repeated ones must all match', collect)
      .option('--archived', 'list the archived ones instead')
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
        none: "There are no such controls. 'waymark control create IDENTIFIER --name NAME' makes one.",
      }),
      page: session.pageOf(org, 'controls'),
    };
  },
});
