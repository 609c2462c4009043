import { listRepos } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given } from '../../resources/options.ts';
import { tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [{ say: 'Repositories of one owner', run: 'waymark repo list --search acme/' }],
  build: (command) =>
    command
      .option('--search <text>', 'only repositories whose name contains this text (case-insensitive)')
      .option('--provider <name>', 'only repositories of this provider, such as github')
      .option('--tag <key[:value]>', 'only repositories with this tag; repeat to require several', collect)
      .addOption(limitOption()),
  async run(session, _, { search, provider, tag, limit }) {
    const repos = await listItems(
      session,
      session.client().items(listRepos, {
        params: { org: session.need('org') },
        query: given({ search, provider, tag, per_page: pageSize(limit, 50) }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: repos,
      rows: rowsOf({
        items: repos,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'provider', of: ({ provider }) => provider },
          { title: 'url', of: ({ url }) => url },
          { title: 'first seen', of: ({ created_at }) => showTime(created_at, session), wide: true },
          { title: 'tags', of: ({ tags }) => tagsText(tags), wide: true },
          { title: 'id', of: ({ id }) => id, wide: true },
        ],
        name: ({ name }) => name,
        none: 'No repositories found. A repository appears with the first evidence that names it.',
      }),
    };
  },
});
