import { createInvitation } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { roleOption } from './role-option.ts';

export const command = defineCommand({
  description:
    'Sends an email with a link that is valid for 7 days. Inviting the same address again replaces the open ' +
    'invitation.',
  examples: [{ say: 'As a reader', run: 'waymark member invite ada@example.com --role reader' }],
  build: (command) => command.argument('<address>', 'email address').addOption(roleOption().makeOptionMandatory()),
  async run(session, [email], { role }) {
    const invitation = await session.client().call(createInvitation, {
      params: { org: session.need('org') },
      body: { email, role },
      signal: session.io.signal,
    });
    return {
      data: invitation,
      text: `${invitation.email} invited as ${invitation.role}, until ${showTime(invitation.expires_at, session)}`,
    };
  },
});
