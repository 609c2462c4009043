import { removeMember } from '@waymark/contract';
import { outcomeOf } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';

export const command = defineCommand({
  description:
    'Their keys and sessions lose access to the org from the next request on. Keys of service accounts and workload ' +
    'identities that they created are suspended and listed. Waymark keeps what they recorded.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark member remove ada --yes' }],
  settings: ['yes'],
  build: (command) => command.argument('<login>', 'login of the member'),
  async run(session, [login]) {
    const org = session.need('org');
    await confirm(session, `This removes '${login}' from ${org}`);
    const message = await session.client().call(removeMember, { params: { org, login }, signal: session.io.signal });
    return outcomeOf(session, { login }, message);
  },
});
