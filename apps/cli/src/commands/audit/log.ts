import { getMembershipAuditLog } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given, timesOf } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'Lists who became a member, changed role, or stopped being a member, newest first. For events of an environment ' +
    "use 'waymark log', for a trail 'waymark trail log'.",
  examples: [
    { say: 'The last quarter, for a spreadsheet', run: 'waymark audit log --since 90d --limit 0 -o csv' },
    { say: 'Who became an admin', run: 'waymark audit log --role admin' },
  ],
  build: (command) =>
    command
      .option('--since <time>', 'only since this time: 7d, 12h, 2026-11-01, or 2026-11-01T12:00:00Z')
      .option('--until <time>', 'only until this time')
      .option('--search <text>', 'only changes where the name or login of the member or the actor contains this text')
      .option('--type <type>', 'added, changed, or removed')
      .option('--role <role>', 'only changes to this role; can be repeated', collect)
      .addOption(limitOption()),
  async run(session, _, { since, until, search, type, role, limit }) {
    const org = session.need('org');
    const { from, to } = timesOf(session, { since, until });
    const events = await listItems(
      session,
      session.client().items(getMembershipAuditLog, {
        params: { org },
        query: given({
          from_timestamp: from,
          to_timestamp: to,
          search,
          event_type: type as 'added' | undefined,
          role: role as 'admin'[] | undefined,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: events,
      rows: rowsOf({
        items: events,
        columns: [
          { title: 'time', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'event', of: ({ event_type }) => event_type },
          { title: 'user', of: ({ user }) => user },
          { title: 'role', of: ({ role, previous_role }) => [previous_role, role].filter(Boolean).join(' → ') },
          { title: 'by', of: ({ changed_by }) => changed_by },
          { title: 'source', of: ({ source }) => source },
          { title: 'login', of: ({ user_login }) => user_login, wide: true },
        ],
        name: ({ user_login }) => user_login,
        none: 'No membership changes match.',
      }),
      page: session.pageOf(org, 'audit'),
    };
  },
});
