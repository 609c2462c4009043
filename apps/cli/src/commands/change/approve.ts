import { approveChangeRequest, getChangeRequest } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';

export const command = defineCommand({
  description:
    "For admins. Makes a change that somebody else asked for. 'waymark change get' shows it. It is refused if the subject " +
    'has changed since.',
  examples: [{ say: 'Without being asked', run: 'waymark change approve 01a1dcbd-b399-7861-b63d-0f0927550600 --yes' }],
  settings: ['yes'],
  build: (command) => command.argument('<id>', 'id of the change request'),
  async run(session, [id]) {
    const params = { org: session.need('org'), id };
    const { signal } = session.io;
    const { summary, subject, asked_by } = await session.client().call(getChangeRequest, { params, signal });
    await confirm(session, `Approving makes the change that '${asked_by}' asked for (${summary}: ${subject.name})`);
    const request = await session.client().call(approveChangeRequest, { params, signal });
    return { data: request, text: `Approved and done: ${summary}: ${subject.name}` };
  },
});
