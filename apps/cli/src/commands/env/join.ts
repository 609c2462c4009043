import { joinEnvironment } from '@waymark/contract';
import { outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    "A logical environment is made of others, and judged as they are. 'env update --include' replaces them all.",
  examples: [{ say: "'eu' gets 'prod' as well", run: 'waymark env join eu prod' }],
  settings: ['dryRun'],
  build: (command) =>
    command.argument('<logical>', 'name of the logical environment').argument('<physical>', 'name of the one to add'),
  async run(session, [logical, physical]) {
    const message = await session.client().call(joinEnvironment, {
      params: { org: session.need('org'), env_name: logical },
      body: { physical_env_name: physical },
      ...writing(session),
    });
    return outcomeOf(session, { name: logical, included: physical }, message);
  },
});
