import { getMembershipAuditLog } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given, timesOf } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    "Who became, changed and ceased to be a member, the newest first. What happened in an environment is told by 'waymark log', in a trail by 'waymark trail log'.",
  examples: [
    { say: 'The last quarter, for a spreadsheet', run: 'waymark audit log --since 90d --limit 0 -o csv' },
    { say: 'Who was made an admin', run: 'waymark audit log --role admin' },
  ],
  build: (command) =>
    command
      .option('--since <time>', 'only from then on: 7d, 12h, 2026-11-01 or 2026-11-01T12:00:00Z')
      .option('--until <time>', 'only up to then')
      .option('--search <text>', 'only where a name or login holds this: of who it is about, or of who did it')
      .option('--type <type>', 'added, changed or removed')
      .option('--role <role>', 'only where this is the new role; can be repeated', collect)
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
          { title: 'what', of: ({ event_type }) => event_type },
          { title: 'user', of: ({ user }) => user },
          { title: 'role', of: ({ role, previous_role }) => [previous_role, role].filter(Boolean).join(' → ') },
          { title: 'by', of: ({ changed_by }) => changed_by },
          { title: 'through', of: ({ source }) => source },
          { title: 'login', of: ({ user_login }) => user_login, wide: true },
        ],
        name: ({ user_login }) => user_login,
        none: 'Nothing like that happened.',
      }),
      page: session.pageOf(org, 'audit'),
    };
  },
});
