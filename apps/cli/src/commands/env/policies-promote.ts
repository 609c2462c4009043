import { selectPolicies } from '../../resources/attach-policies.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Report-only policies become attached policies, and the environment is re-evaluated immediately. Promoting a ' +
    'policy that is enforced already changes nothing.',
  examples: [{ say: 'Enforce a policy in prod', run: 'waymark env policies promote prod prod-release' }],
  settings: ['dryRun'],
  build: (command) =>
    command.argument('<env>', 'name of the environment').argument('<policy...>', 'names of the policies'),
  run: (session, [name, policies]) => selectPolicies(session, 'promote', name, policies),
});
