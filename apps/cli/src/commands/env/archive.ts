import { archiveEnvironment } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Hides the environment and frees its names. Everything recorded about it is kept; its deployments stay listed.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark env archive staging --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name of the environment'),
  async run(session, [name]) {
    await confirmed(session, `This permanently archives the environment '${name}'`);
    const message = await session
      .client()
      .call(archiveEnvironment, { params: { org: session.need('org'), env_name: name }, ...writing(session) });
    return outcomeOf(session, { name }, message);
  },
});
