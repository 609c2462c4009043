import { approveChangeRequest, getChangeRequest } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';

export const command = defineCommand({
  description:
    "For admins. Applies a change that another person requested. 'waymark change get' shows it. Refused if the " +
    'subject has changed since the request.',
  examples: [
    { say: 'Skip the confirmation prompt', run: 'waymark change approve 01a1dcbd-b399-7861-b63d-0f0927550600 --yes' },
  ],
  settings: ['yes'],
  build: (command) => command.argument('<id>', 'id of the change request'),
  async run(session, [id]) {
    const params = { org: session.need('org'), id };
    const { signal } = session.io;
    const { summary, subject, asked_by } = await session.client().call(getChangeRequest, { params, signal });
    await confirm(session, `This applies the change that '${asked_by}' requested (${summary}: ${subject.name})`);
    const request = await session.client().call(approveChangeRequest, { params, signal });
    return { data: request, text: `Approved and applied: ${summary}: ${subject.name}` };
  },
});
