import { type EnvironmentType, environmentTypes, putEnvironment } from '@waymark/contract';
import { collect, given, readSeconds } from '../../resources/options.ts';
import { outcomeOf, putOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'When there is an environment of that name, what is given is changed and the rest stays; its type cannot be ' +
    'changed. Doing it twice changes nothing.',
  examples: [
    { say: 'A cluster that is judged by a policy', run: 'waymark env create prod --type K8S --policy prod-release' },
    { say: 'One that is made of others', run: 'waymark env create eu --type logical --include prod --include staging' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .requiredOption('--type <type>', environmentTypes.join(', '))
      .option('--description <text>', 'what it is about')
      .option('--policy <name>', 'a policy it is judged by; can be repeated', collect)
      .option('--include <env>', 'of a logical one: an environment it is made of; can be repeated', collect)
      .option('--expect-every <duration>', 'within which a report is expected, for example 15m', readSeconds),
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
