import { Argument } from '@commander-js/extra-typings';
import { putMembersVisible } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'For admins. With everyone, every role can list the members, with their email addresses, and read the membership ' +
    'log, as an auditor needs. With admins, the default, only admins can. Only admins can change members in both cases.',
  examples: [
    { say: 'For an access review', run: 'waymark member visibility everyone' },
    { say: 'Only admins again', run: 'waymark member visibility admins' },
  ],
  build: (command) =>
    command.addArgument(new Argument('<who>', 'who can read the members').choices(['everyone', 'admins'])),
  async run(session, [who]) {
    const saved = await session.client().call(putMembersVisible, {
      params: { org: session.need('org') },
      body: { members_visible: who === 'everyone' },
      signal: session.io.signal,
    });
    const readers = saved.members_visible ? 'Every role' : 'Only admins';
    return { data: saved, text: `${readers} can read the members and the membership log` };
  },
});
