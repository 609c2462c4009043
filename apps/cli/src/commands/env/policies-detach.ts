import { selectPolicies } from '../../resources/attach-policies.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The environment is re-evaluated immediately with the remaining policies. Detaching a policy that is not ' +
    'attached changes nothing.',
  examples: [{ say: 'Detach a policy from prod', run: 'waymark env policies detach prod prod-release' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<env>', 'name of the environment')
      .argument('<policy...>', 'names of the policies')
      .option('--report-only', 'detach report-only policies'),
  run: (session, [name, policies], { reportOnly }) =>
    selectPolicies(session, reportOnly ? 'detachReportOnly' : 'detach', name, policies),
});
