import { Option } from '@commander-js/extra-typings';
import { type Simulation, simulatePolicy } from '@waymark/contract';
import { collect, given, pastMoment } from '../../resources/options.ts';
import { patient } from '../../resources/patient.ts';
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
    'Judges what ran by a policy that is not in force, on the evidence of that time, and tells which verdicts would ' +
    'have been others. Nothing is stored. With a name and a file, the file takes the place of that policy.',
  examples: [
    { say: 'A new policy', run: 'waymark policy test -f prod-release.yml --env prod --since 30d' },
    {
      say: 'A change of one that judges, in CI',
      run: 'waymark policy test prod-release -f prod-release.yml --env prod --fail-on-red',
    },
    { say: 'One that is stored, in all environments', run: 'waymark policy test prod-release' },
  ],
  build: (command) =>
    command
      .argument('[name]', 'the stored policy that is tried, or whose place the file takes')
      .option('-f, --file <file>', 'the policy to try, YAML; - is standard input')
      .option('--env <name>', 'in this environment, in all unless given; can be repeated', collect)
      .addOption(new Option('--against <name>', 'the same as --env').argParser(collect).hideHelp())
      .option('--since <when>', 'from then on, 30d unless given', '30d')
      .option('--until <when>', 'up to then; now unless given')
      .option('--alone', 'leave out what the attached policies decided')
      .option('--fail-on-red', 'end with 3 when something would not have been compliant that was'),
  async run(session, [name], { file, env, against, since, until, alone, failOnRed }) {
    if (name === undefined && file === undefined) {
      throw usageError('It is not said which policy to try', 'Give a file with --file, or the name of a policy');
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
      session.warn('It was too much for one answer: ask for fewer environments, or for less time');
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
          { title: 'because', of: ({ reasons }) => reasons[0]?.message },
          { title: 'fingerprint', of: ({ artifact }) => artifact.fingerprint, wide: true },
          { title: 'evidence', of: ({ evidence }) => evidence, wide: true },
        ],
        name: ({ environment, snapshot_index }) => `${environment}#${snapshot_index}`,
        none: 'Nothing would have been judged otherwise.',
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
      ? `${style.good('✓')} Of ${evaluated} verdicts none would have been another`
      : `${red > 0 ? style.bad('✕') : style.good('✓')} Of ${evaluated} verdicts ${flips.length} would have been others, ${red} of them non-compliant`;
  return [
    head,
    ...environments.map(
      ({ environment, snapshots, would_fail, fails_now }) =>
        `  ${oneLine(environment)}: ${would_fail} of ${snapshots} snapshots would fail, ${fails_now} did`,
    ),
  ].join('\n');
}
