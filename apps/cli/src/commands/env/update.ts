import { patchEnvironment } from '@waymark/contract';
import { collect, given, readSeconds } from '../../resources/options.ts';
import { outcomeOf, putOf, requireChange, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    "Changes only the given values. --policy and --include replace all existing ones; 'env policies attach' and 'env " +
    "join' add one.",
  examples: [
    { say: 'Change the description', run: "waymark env update prod --description 'The shop'" },
    { say: 'Expect a report every 15 minutes', run: 'waymark env update prod --expect-every 15m' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the environment')
      .option('--description <text>', 'description of the environment')
      .option('--clear-description', 'remove the description')
      .option('--policy <name>', 'attached policy, replacing all others; can be repeated', collect)
      .option('--include <env>', 'for a logical environment: member, replacing all others; can be repeated', collect)
      .option(
        '--expect-every <duration>',
        'expected interval between reports; 0 to learn it from the reports',
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
