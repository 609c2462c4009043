import { deleteServiceAccount } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Revokes all its keys immediately, and CI jobs can no longer act as it. Waymark keeps what it recorded.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark sa delete builder --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name of the service account'),
  async run(session, [name]) {
    await confirmed(session, `This deletes the service account '${name}' and revokes all its keys`);
    const message = await session
      .client()
      .call(deleteServiceAccount, { params: { org: session.need('org'), name }, ...writing(session) });
    return outcomeOf(session, { name }, message);
  },
});
