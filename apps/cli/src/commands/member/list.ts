import { listMembers } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given, pastMoment } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    "For admins, and for every role after 'waymark member visibility everyone'. Service accounts are not members; list " +
    "them with 'waymark sa list'.",
  examples: [
    { say: 'Everybody', run: 'waymark member list' },
    { say: 'Members at an earlier time', run: 'waymark member list --at 2026-01-01' },
  ],
  build: (command) =>
    command.option('--at <time>', 'members at this time: 30d, or 2026-01-01').addOption(limitOption()),
  async run(session, _, { at, limit }) {
    const members = await listItems(
      session,
      session.client().items(listMembers, {
        params: { org: session.need('org') },
        query: given({
          at: at === undefined ? undefined : pastMoment(session, '--at', at),
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: members,
      rows: rowsOf({
        items: members,
        columns: [
          { title: 'login', of: ({ login }) => login },
          { title: 'role', of: ({ role }) => role },
          { title: 'since', of: ({ since }) => showTime(since, session) },
          { title: 'name', of: ({ display_name }) => display_name },
          { title: 'address', of: ({ email }) => email },
        ],
        name: ({ login }) => login,
        none: 'No members at that time.',
      }),
    };
  },
});
