import { listPolicies } from '@waymark/contract';
import { limitOption, listItems } from '../../resources/list-items.ts';
import { given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [
    { say: 'All policies', run: 'waymark policy list' },
    { say: 'Include archived policies', run: 'waymark policy list --archived' },
  ],
  build: (command) => command.option('--archived', 'include archived policies').addOption(limitOption()),
  async run(session, _, { archived, limit }) {
    const org = session.need('org');
    const policies = await listItems(
      session,
      session.client().items(listPolicies, {
        params: { org },
        query: given({ archived: archived ? ('true' as const) : undefined }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: policies,
      rows: rowsOf({
        items: policies,
        columns: [
          { title: 'name', of: ({ name, archived }) => (archived ? `${name} (archived)` : name) },
          { title: 'version', of: ({ versions }) => versions.at(-1)?.version },
          { title: 'changed', of: ({ last_modified_at }) => showTime(last_modified_at, session) },
          { title: 'environments', of: ({ consuming_envs }) => consuming_envs.join(', ') },
          { title: 'description', of: ({ description }) => description },
        ],
        name: ({ name }) => name,
        none: "No policies yet. Create one with 'waymark policy create NAME --file FILE'.",
      }),
      page: session.pageOf(org, 'policies'),
    };
  },
});
