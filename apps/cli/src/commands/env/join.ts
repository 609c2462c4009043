import { joinEnvironment } from '@waymark/contract';
import { outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    "A logical environment consists of member environments, and its verdict combines theirs. 'env update --include' " +
    'replaces all members.',
  examples: [{ say: "Add 'prod' to 'eu'", run: 'waymark env join eu prod' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<logical>', 'name of the logical environment')
      .argument('<physical>', 'name of the environment to add'),
  async run(session, [logical, physical]) {
    const message = await session.client().call(joinEnvironment, {
      params: { org: session.need('org'), env_name: logical },
      body: { physical_env_name: physical },
      ...writing(session),
    });
    return outcomeOf(session, { name: logical, included: physical }, message);
  },
});
