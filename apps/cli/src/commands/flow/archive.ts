import { archiveFlow } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Hides the flow and frees its name. Waymark keeps everything recorded in it, which still counts as evidence.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark flow archive shop --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name of the flow'),
  async run(session, [name]) {
    await confirmed(session, `This permanently archives the flow '${name}'`);
    const message = await session
      .client()
      .call(archiveFlow, { params: { org: session.need('org'), flow_name: name }, ...writing(session) });
    return outcomeOf(session, { name }, message);
  },
});
