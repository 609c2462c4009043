import { listInvitations, revokeInvitation } from '@waymark/contract';
import { outcomeOf } from '../../resources/write.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm, requireSomebody } from '../../run/confirm.ts';

export const command = defineCommand({
  examples: [{ say: 'Withdraw an invitation', run: 'waymark member uninvite ada@example.com --yes' }],
  settings: ['yes'],
  build: (command) => command.argument('<address>', 'the invited email address, or the id of the invitation'),
  async run(session, [asked]) {
    requireSomebody(session, `This withdraws the invitation of '${asked}'`);
    const org = session.need('org');
    const { signal } = session.io;
    const open = await session.client().call(listInvitations, { params: { org }, signal });
    const found = open.find(({ id, email }) => id === asked || email.toLowerCase() === asked.toLowerCase());
    if (!found) {
      throw new CliError('notFound', `No open invitation for '${asked}'`, {
        fix: "Run 'waymark member invitations' to list the open ones",
      });
    }
    await confirm(session, `This withdraws the invitation of ${found.email}`);
    const message = await session.client().call(revokeInvitation, { params: { org, invitation_id: found.id }, signal });
    return outcomeOf(session, { id: found.id, email: found.email }, message);
  },
});
