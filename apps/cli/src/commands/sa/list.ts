import { listServiceAccounts } from '@waymark/contract';
import { limitOption, listItems } from '../../resources/list-items.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Admins see all service accounts, members those that they created.',
  examples: [{ say: 'All service accounts', run: 'waymark sa list' }],
  build: (command) => command.addOption(limitOption()),
  async run(session, _, { limit }) {
    const accounts = await listItems(
      session,
      session.client().items(listServiceAccounts, { params: { org: session.need('org') }, signal: session.io.signal }),
      limit,
    );
    return {
      data: accounts,
      rows: rowsOf({
        items: accounts,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'role', of: ({ privilege }) => privilege },
          { title: 'suspended keys', of: ({ suspended_keys }) => (suspended_keys === 0 ? '' : String(suspended_keys)) },
          { title: 'created', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'created by', of: ({ made_by }) => made_by ?? '' },
          { title: 'description', of: ({ description }) => description },
        ],
        name: ({ name }) => name,
        none: "No service accounts yet. Create one with 'waymark sa create NAME --role member'.",
      }),
    };
  },
});
