import { archiveAttestationType } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'No new evidence can be of the type, and its name is free. What was judged by it stays.',
  examples: [{ say: 'Without being asked', run: 'waymark attestation-type archive coverage --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name of the type'),
  async run(session, [name]) {
    await confirmed(session, `This archives the attestation type '${name}', and no evidence can be of it then`);
    const message = await session
      .client()
      .call(archiveAttestationType, { params: { org: session.need('org'), name }, ...writing(session) });
    return outcomeOf(session, { name }, message);
  },
});
