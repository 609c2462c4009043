import { selectPolicies } from '../../resources/attach-policies.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'What runs there is judged at once. Attaching one that is attached already changes nothing.',
  examples: [{ say: 'Judge what runs in prod', run: 'waymark env policies attach prod prod-release' }],
  settings: ['dryRun'],
  build: (command) =>
    command.argument('<env>', 'name of the environment').argument('<policy...>', 'names of the policies'),
  run: (session, [name, policies]) => selectPolicies(session, 'attach', name, policies),
});
