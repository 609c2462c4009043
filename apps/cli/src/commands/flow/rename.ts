import { renameFlow } from '@waymark/contract';
import { outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'The old name keeps working until another flow takes it.',
  examples: [{ say: 'Rename a flow', run: 'waymark flow rename shop web-shop' }],
  settings: ['dryRun'],
  build: (command) => command.argument('<name>', 'name of the flow').argument('<new-name>', 'new name'),
  async run(session, [name, newName]) {
    const message = await session.client().call(renameFlow, {
      params: { org: session.need('org'), flow_name: name },
      body: { new_name: newName },
      ...writing(session),
    });
    return outcomeOf(session, { name: newName }, message);
  },
});
