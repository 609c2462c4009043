import { patchEnvironment } from '@waymark/contract';
import { collect, given, readSeconds } from '../../resources/options.ts';
import { outcomeOf, putOf, requireChange, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Changes what is given; the rest stays as it is. --policy and --include replace all that there were; ' +
    "'env policies attach' and 'env join' add one.",
  examples: [
    { say: 'Another description', run: "waymark env update prod --description 'The shop'" },
    { say: 'A report is expected every quarter of an hour', run: 'waymark env update prod --expect-every 15m' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .option('--description <text>', 'what it is about')
      .option('--clear-description', 'take the description away')
      .option('--policy <name>', 'all policies it is judged by; can be repeated', collect)
      .option('--include <env>', 'of a logical one: all environments it is made of; can be repeated', collect)
      .option(
        '--expect-every <duration>',
        'within which a report is expected; 0 learns it from the reports',
        readSeconds,
      ),
  async run(session, [name], { description, clearDescription, policy, include, expectEvery }) {
    const body = given({
      description: clearDescription ? '' : description,
      policies: policy,
      included_environments: include,
      expected_report_interval_s: expectEvery,
    });
    requireChange(body, 'env update');
    const message = await session
      .client()
      .call(patchEnvironment, { params: { org: session.need('org'), env_name: name }, body, ...writing(session) });
    return outcomeOf(session, { name, outcome: putOf(message) }, message);
  },
});
