import { archiveAttestationType } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'New evidence can no longer use the type, and its name becomes available. Existing verdicts stay.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark attestation-type archive coverage --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name of the type'),
  async run(session, [name]) {
    await confirmed(session, `This archives the attestation type '${name}', so that new evidence can no longer use it`);
    const message = await session
      .client()
      .call(archiveAttestationType, { params: { org: session.need('org'), name }, ...writing(session) });
    return outcomeOf(session, { name }, message);
  },
});
