import { endings, exitCodes } from './exit-codes.ts';
import { flagLines, section, wrap } from './help.ts';
import { type AnySettingName, commandSettings, globalSettings, settingOf } from './settings.ts';

/** Variables without a flag, about the machine. */
export const otherVariables: readonly (readonly [string, string])[] = [
  ['WAYMARK_ID_TOKEN', 'the identity token of the CI job, where the CI system puts it into a variable'],
  ['WAYMARK_ID_TOKEN_FILE', 'a file with that token, read anew each time, as in a pod'],
  ['WAYMARK_SPOOL_DIR', 'where evidence is kept that could not be sent'],
  ['WAYMARK_CA_FILE', 'certificates (PEM) to trust besides those of the system'],
  ['HTTPS_PROXY, HTTP_PROXY', 'proxy for requests'],
  ['NO_PROXY', 'hosts that are reached without it'],
  ['NO_COLOR', 'no colours'],
  ['FORCE_COLOR, CLICOLOR_FORCE', 'colours also where no terminal is'],
  ['XDG_CONFIG_HOME', 'where contexts and keys are, instead of ~/.config'],
  ['XDG_STATE_HOME', 'where the spool is, instead of ~/.local/state'],
];

const topics: Readonly<Record<string, () => string>> = {
  flags: () =>
    [
      section('Flags of every command', flagLines(Object.keys(globalSettings) as AnySettingName[])),
      wrap('They may also stand before the command. A variable in brackets is read where the flag is not given.'),
    ].join('\n\n'),
  'exit-codes': () =>
    section(
      'Exit codes',
      Object.entries(endings).map(([ending, text]) => [String(exitCodes[ending as keyof typeof exitCodes]), text]),
    ),
  environment: () =>
    [
      section(
        'Variables',
        ([...Object.keys(globalSettings), ...Object.keys(commandSettings)] as AnySettingName[]).flatMap((name) => {
          const { env, description } = settingOf(name);
          return env === undefined ? [] : [[env, description] as const];
        }),
      ),
      section('Without a flag', otherVariables),
    ].join('\n\n'),
  formatting: () =>
    wrap(
      [
        'Results go to standard output, everything else to standard error.',
        '-o table is for people, and may change. -o wide has more columns.',
        '-o json, yaml and ndjson have the shape that the API has, and change only with it.',
        '-o csv and markdown are lists as files; -o name is one name a line.',
        '--json name,status picks fields; --jq filters what is left, and needs no jq to be installed.',
      ].join('\n'),
    ),
  ci: () =>
    wrap(
      [
        'The commit, the branch, the pull request, the repository and the page of the build are found out by themselves.',
        "'waymark ci context --explain' prints each with where it came from. A flag or a variable WAYMARK_* always wins.",
        '',
        'A job needs no stored key where its CI system signs a token for it and the org trusts its jobs:',
        '  GitHub, Gitea   permissions: id-token: write',
        '  GitLab          id_tokens: WAYMARK_ID_TOKEN: aud: <host>/<org>',
        '  Buildkite       nothing to set; the agent is asked',
        '  CircleCI        nothing to set; the token is asked for',
        '  Bitbucket       oidc: true, with the audience <host>/<org>',
        "'waymark trust add' says whose jobs are meant. Everywhere else WAYMARK_TOKEN holds the key of a service account.",
        '',
        "'waymark begin trail' tells later steps of the job which flow and trail are meant.",
        "'waymark init' prints the lines for your pipeline.",
      ].join('\n'),
    ),
  'snapshot-expressions': () =>
    [
      wrap(
        'A snapshot is named by its environment and an expression. Put it in quotes: shells have uses for # ~ and {}.',
      ),
      section('Expressions', [
        ['prod', 'the latest snapshot'],
        ["'prod#12'", 'the one with that number; -1 is the latest, -2 the one before'],
        ["'prod~3'", 'three before the latest'],
        ["'prod@{2026-11-01T12:00:00}'", 'what ran then, in UTC'],
        ["'prod@{3.days.ago}'", 'also hours, weeks and months'],
        ["'prod@{now}'", 'what runs now'],
      ]),
      section('Intervals', [['5..NOW', 'from the fifth on; N, -N, ~N or NOW on either side, which may be left out']]),
    ].join('\n\n'),
  offline: () =>
    wrap(
      [
        'While the service cannot be reached, begin trail, attest and snapshot keep what they would have sent in a local ' +
          'spool and end well. With --strict they end with 9, with --on-unavailable=fail with 7.',
        '',
        'The next command for the same service sends what waits, or waymark spool push does: what belongs to one trail ' +
          'in order, each thing once however often it is tried, with the time at which it happened. Of reports of what ' +
          'runs only the newest is kept.',
        '',
        "'waymark spool status' shows what waits, what was refused and why. The spool holds no keys; it is in " +
          '~/.local/state/waymark/spool, or where WAYMARK_SPOOL_DIR says. In CI put it where the next job finds it.',
        '',
        'Questions are never answered from the spool: assert ends with 7 when the service is not there.',
      ].join('\n'),
    ),
};

export const helpTopicNames = Object.keys(topics);

export function helpTopic(name: string): string | undefined {
  return Object.hasOwn(topics, name) ? topics[name]?.() : undefined;
}
