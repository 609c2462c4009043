import { refuseChangeRequest } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'For admins. Closes a change request of another person without applying it.',
  examples: [
    {
      say: 'With a reason for the requester',
      run: "waymark change refuse 01a1dcbd-b399-7861-b63d-0f0927550600 --reason 'Wait for the audit'",
    },
  ],
  build: (command) =>
    command
      .argument('<id>', 'id of the change request')
      .requiredOption('--reason <text>', 'reason, shown to the requester'),
  async run(session, [id], { reason }) {
    const request = await session.client().call(refuseChangeRequest, {
      params: { org: session.need('org'), id },
      body: { reason },
      signal: session.io.signal,
    });
    return { data: request, text: `Refused: ${request.summary}: ${request.subject.name}` };
  },
});
