import { renameEnvironment } from '@waymark/contract';
import { outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'The old name keeps working until another environment takes it.',
  examples: [{ say: 'Rename an environment', run: 'waymark env rename prod production' }],
  settings: ['dryRun'],
  build: (command) => command.argument('<name>', 'name of the environment').argument('<new-name>', 'new name'),
  async run(session, [name, newName]) {
    const message = await session.client().call(renameEnvironment, {
      params: { org: session.need('org'), env_name: name },
      body: { new_name: newName },
      ...writing(session),
    });
    return outcomeOf(session, { name: newName }, message);
  },
});
