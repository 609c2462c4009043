import { withdrawChangeRequest } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Closes your own pending change request without applying it.',
  examples: [{ say: 'Withdraw a request', run: 'waymark change withdraw 01a1dcbd-b399-7861-b63d-0f0927550600' }],
  build: (command) => command.argument('<id>', 'id of the change request'),
  async run(session, [id]) {
    const request = await session.client().call(withdrawChangeRequest, {
      params: { org: session.need('org'), id },
      signal: session.io.signal,
    });
    return { data: request, text: `Withdrawn: ${request.summary}: ${request.subject.name}` };
  },
});
