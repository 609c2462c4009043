import { listInvitations } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [{ say: 'Invitations that are not accepted yet', run: 'waymark member invitations' }],
  build: (command) => command,
  async run(session) {
    const invitations = await session
      .client()
      .call(listInvitations, { params: { org: session.need('org') }, signal: session.io.signal });
    return {
      data: invitations,
      rows: rowsOf({
        items: invitations,
        columns: [
          { title: 'address', of: ({ email }) => email },
          { title: 'role', of: ({ role }) => role },
          { title: 'expires', of: ({ expires_at }) => showTime(expires_at, session) },
          { title: 'invited by', of: ({ invited_by }) => invited_by },
          { title: 'id', of: ({ id }) => id, wide: true },
        ],
        name: ({ email }) => email,
        none: "No open invitations. Send one with 'waymark member invite ADDRESS --role ROLE'.",
      }),
    };
  },
});
