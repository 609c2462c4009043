import { selectPolicies } from '../../resources/attach-policies.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The environment is re-evaluated immediately. Attaching a policy that is already attached changes nothing.',
  examples: [{ say: 'Attach a policy to prod', run: 'waymark env policies attach prod prod-release' }],
  settings: ['dryRun'],
  build: (command) =>
    command.argument('<env>', 'name of the environment').argument('<policy...>', 'names of the policies'),
  run: (session, [name, policies]) => selectPolicies(session, 'attach', name, policies),
});
