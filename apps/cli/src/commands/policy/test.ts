import { Option } from '@commander-js/extra-typings';
import { type Simulation, simulatePolicy } from '@waymark/contract';
import { collect, given, pastMoment } from '../../resources/options.ts';
import { patient } from '../../resources/patient.ts';
import { testWithFixtures } from '../../resources/policy-offline.ts';
import { readInput } from '../../resources/read-input.ts';
import { formatState } from '../../resources/show.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description:
    'Evaluates past snapshots against a policy that is not in force, with the evidence of that time, and shows which ' +
    'verdicts would have been different. Records nothing. With a name and a file, the file replaces that policy. With ' +
    '--fixtures, it judges the cases in a file instead, without the service, and exits with 3 if one fails.',
  examples: [
    { say: 'A new policy', run: 'waymark policy test -f prod-release.yml --env prod --since 30d' },
    {
      say: 'A change to an attached policy, in CI',
      run: 'waymark policy test prod-release -f prod-release.yml --env prod --fail-on-red',
    },
    { say: 'A stored policy, in all environments', run: 'waymark policy test prod-release' },
    { say: 'Cases in a file, offline', run: 'waymark policy test -f prod-release.yml --fixtures prod-cases.yml' },
  ],
  build: (command) =>
    command
      .argument('[name]', 'stored policy to test, or to replace with the file')
      .option('-f, --file <file>', 'file with the policy to test (YAML), or - for standard input')
      .option('--fixtures <file>', 'file with cases to judge offline (YAML), or - for standard input')
      .option('--env <name>', 'environment to test in; can be repeated (default: all)', collect)
      .addOption(new Option('--against <name>', 'same as --env').argParser(collect).hideHelp())
      .option('--since <when>', 'start of the period (default: 30d)', '30d')
      .option('--until <when>', 'end of the period (default: now)')
      .option('--alone', 'ignore the attached policies')
      .option('--fail-on-red', 'exit with 3 if a compliant verdict would have been non-compliant'),
  async run(session, [name], { file, fixtures, env, against, since, until, alone, failOnRed }) {
    if (fixtures !== undefined) {
      if (file === undefined || name !== undefined || env || against || until || alone || failOnRed) {
        throw usageError('--fixtures needs --file, and nothing else', 'Remove the other flags and NAME');
      }
      return testWithFixtures(session, file, fixtures);
    }
    if (name === undefined && file === undefined) {
      throw usageError('The policy is missing', 'Add a file with --file, or the name of a policy');
    }
    const policy =
      file === undefined
        ? { policy_name: name }
        : { policy_yaml: await readInput(session, file), ...given({ replaces: name }) };
    const simulation = await patient(session).call(simulatePolicy, {
      params: { org: session.need('org') },
      body: given({
        ...policy,
        environments: env || against ? [...(env ?? []), ...(against ?? [])] : undefined,
        from_timestamp: pastMoment(session, '--since', since),
        to_timestamp: until === undefined ? undefined : pastMoment(session, '--until', until),
        alone: alone ? true : undefined,
      }),
      signal: session.io.signal,
    });
    if (simulation.truncated) {
      session.warn('The result is too large for one response; choose fewer environments or a shorter period');
    }
    const isRed = simulation.flips.some(({ to }) => to === 'non-compliant');
    return {
      data: simulation,
      rows: rowsOf({
        items: simulation.flips,
        columns: [
          { title: 'was', of: ({ from }) => from, format: formatState },
          { title: 'would be', of: ({ to }) => to, format: formatState },
          { title: 'artifact', of: ({ artifact }) => artifact.name },
          { title: 'snapshot', of: ({ environment, snapshot_index }) => `${environment}#${snapshot_index}` },
          { title: 'since', of: ({ timestamp }) => showTime(timestamp, session) },
          { title: 'reason', of: ({ reasons }) => reasons[0]?.message },
          { title: 'fingerprint', of: ({ artifact }) => artifact.fingerprint, wide: true },
          { title: 'evidence', of: ({ evidence }) => evidence, wide: true },
        ],
        name: ({ environment, snapshot_index }) => `${environment}#${snapshot_index}`,
        none: 'No verdict would have changed.',
      }),
      text: (style) => summary(simulation, style),
      ...(failOnRed && isRed && { ending: 'nonCompliant' as const }),
    };
  },
});

function summary({ flips, evaluated, environments }: Simulation, style: Style): string {
  const red = flips.filter(({ to }) => to === 'non-compliant').length;
  const head =
    flips.length === 0
      ? `${style.good('✓')} None of ${evaluated} verdicts would have changed`
      : `${red > 0 ? style.bad('✕') : style.good('✓')} ${flips.length} of ${evaluated} verdicts would have changed, ${red} of them to non-compliant`;
  return [
    head,
    ...environments.map(
      ({ environment, snapshots, would_fail, fails_now }) =>
        `  ${oneLine(environment)}: ${would_fail} of ${snapshots} snapshots would fail, ${fails_now} did`,
    ),
  ].join('\n');
}
