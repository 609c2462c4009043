import { selectPolicies } from '../../resources/attach-policies.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'What runs there is judged at once by those that are left. Detaching one that is not attached changes nothing.',
  examples: [{ say: 'Judge prod no longer by it', run: 'waymark env policies detach prod prod-release' }],
  settings: ['dryRun'],
  build: (command) =>
    command.argument('<env>', 'name of the environment').argument('<policy...>', 'names of the policies'),
  run: (session, [name, policies]) => selectPolicies(session, 'detach', name, policies),
});
