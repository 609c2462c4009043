import { type EnvironmentType, environmentTypes, putEnvironment } from '@waymark/contract';
import { collect, given, readSeconds } from '../../resources/options.ts';
import { outcomeOf, putOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'If an environment with that name exists, only the given values change; its type cannot change. Running the ' +
    'command again changes nothing.',
  examples: [
    { say: 'A cluster with a policy attached', run: 'waymark env create prod --type K8S --policy prod-release' },
    { say: 'A logical environment', run: 'waymark env create eu --type logical --include prod --include staging' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .requiredOption('--type <type>', environmentTypes.join(', '))
      .option('--description <text>', 'description of the environment')
      .option('--policy <name>', 'policy to attach; can be repeated', collect)
      .option('--include <env>', 'for a logical environment: name of a member; can be repeated', collect)
      .option('--expect-every <duration>', 'expected interval between reports, for example 15m', readSeconds),
  async run(session, [name], { type, description, policy, include, expectEvery }) {
    const org = session.need('org');
    const message = await session.client().call(putEnvironment, {
      params: { org },
      body: given({
        name,
        type: type as EnvironmentType,
        description,
        policies: policy,
        included_environments: include,
        expected_report_interval_s: expectEvery,
      }),
      ...writing(session),
    });
    const outcome = outcomeOf(session, { name, outcome: putOf(message) }, message);
    return { ...outcome, page: session.pageOf(org, 'environments', name) };
  },
});
