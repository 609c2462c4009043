import { selectPolicies } from '../../resources/attach-policies.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'The environment is re-evaluated immediately. Attaching a policy that is already attached changes nothing. ' +
    'With --report-only, policies are evaluated and explained, and change no verdict.',
  examples: [
    { say: 'Attach a policy to prod', run: 'waymark env policies attach prod prod-release' },
    { say: 'See first what it would do', run: 'waymark env policies attach prod prod-release --report-only' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<env>', 'name of the environment')
      .argument('<policy...>', 'names of the policies')
      .option('--report-only', 'evaluate them without an effect on verdicts'),
  run: (session, [name, policies], { reportOnly }) =>
    selectPolicies(session, reportOnly ? 'attachReportOnly' : 'attach', name, policies),
});
