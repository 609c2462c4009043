import { Option } from '@commander-js/extra-typings';
import { changeRequestStates, listChangeRequests } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists change requests, newest first.',
  examples: [
    { say: 'Pending requests', run: 'waymark change list' },
    { say: 'Refused requests', run: 'waymark change list --state refused' },
  ],
  build: (command) =>
    command.addOption(
      new Option('--state <state>', 'only requests in this state (default: pending)').choices(changeRequestStates),
    ),
  async run(session, _, { state }) {
    const requests = await session.client().call(listChangeRequests, {
      params: { org: session.need('org') },
      query: given({ state }),
      signal: session.io.signal,
    });
    return {
      data: requests,
      rows: rowsOf({
        items: requests,
        columns: [
          { title: 'id', of: ({ id }) => id },
          { title: 'change', of: ({ summary }) => summary },
          { title: 'subject', of: ({ subject }) => subject.name },
          { title: 'requested by', of: ({ asked_by }) => asked_by },
          { title: 'requested', of: ({ asked_at }) => showTime(asked_at, session) },
          { title: 'expires', of: ({ expires_at }) => showTime(expires_at, session) },
          { title: 'state', of: ({ state }) => state, wide: true },
          { title: 'ended by', of: ({ ended_by }) => ended_by ?? '', wide: true },
        ],
        name: ({ id }) => id,
        none: 'No changes await approval.',
      }),
      page: session.pageOf(session.need('org'), 'changes'),
    };
  },
});
