import { endings, exitCodes } from './exit-codes.ts';
import { flagLines, section, wrap } from './help.ts';
import { type AnySettingName, commandSettings, globalSettings, settingOf } from './settings.ts';

/** Variables without a flag, about the machine. */
export const otherVariables: readonly (readonly [string, string])[] = [
  ['WAYMARK_ID_TOKEN', 'identity token of the CI job, for CI systems that pass it in a variable'],
  ['WAYMARK_ID_TOKEN_FILE', 'file with that token, read again each time, as in a pod'],
  ['WAYMARK_SPOOL_DIR', 'directory of the spool, for evidence that could not be sent'],
  ['WAYMARK_CA_FILE', 'certificates (PEM) to trust in addition to those of the system'],
  ['HTTPS_PROXY, HTTP_PROXY', 'proxy for requests'],
  ['NO_PROXY', 'hosts to reach without the proxy'],
  ['NO_COLOR', 'disable colors'],
  ['FORCE_COLOR, CLICOLOR_FORCE', 'enable colors even without a terminal'],
  ['XDG_CONFIG_HOME', 'directory for contexts and keys (default: ~/.config)'],
  ['XDG_STATE_HOME', 'directory for the spool (default: ~/.local/state)'],
];

const topics: Readonly<Record<string, () => string>> = {
  flags: () =>
    [
      section('Flags of every command', flagLines(Object.keys(globalSettings) as AnySettingName[])),
      wrap('Flags can also come before the command. Brackets show the variable that is read when the flag is not set.'),
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
        '-o table is for people and can change between releases. -o wide has more columns.',
        '-o json, yaml, and ndjson have the shape of the API and change only with it.',
        '-o csv and markdown print lists for spreadsheets and documents; -o name prints one name per line.',
        '--json name,status picks fields; --jq filters the result. jq does not have to be installed.',
      ].join('\n'),
    ),
  ci: () =>
    wrap(
      [
        'The command detects the commit, branch, pull request, repository, and build page.',
        "'waymark ci context --explain' prints each value with its source. A flag or a WAYMARK_* variable always wins.",
        '',
        'A job needs no stored key if its CI system signs an identity token for it and the org trusts the job:',
        '  GitHub, Gitea   permissions: id-token: write',
        '  GitLab          id_tokens: WAYMARK_ID_TOKEN: aud: <host>/<org>',
        '  Buildkite       requested from the agent; set BUILDKITE_OIDC_TOKEN_SUBJECT_CLAIM: pipeline_id',
        '  CircleCI        nothing to set; requested with the circleci command',
        '  Bitbucket       oidc: audiences: [<host>/<org>]',
        "Trust the jobs with 'waymark trust add'. Everywhere else, put the key of a service account into WAYMARK_TOKEN.",
        'Waymark accepts each token once, and GitLab and Bitbucket provide one per job or step. To run several commands, ' +
          "save its key with 'waymark auth token --exchange' to the file that WAYMARK_TOKEN_FILE names, and set " +
          'WAYMARK_AUTH=token. The key is valid for 15 minutes.',
        '',
        "'waymark begin trail' sets the flow and the trail for later steps of the job.",
        "'waymark init' prints the steps for your pipeline.",
      ].join('\n'),
    ),
  'snapshot-expressions': () =>
    [
      wrap('An environment and an expression name a snapshot. Quote it, because shells interpret #, ~, and {}.'),
      section('Expressions', [
        ['prod', 'the latest snapshot'],
        ["'prod#12'", 'the snapshot with that number; -1 is the latest, -2 the one before it'],
        ["'prod~3'", 'three before the latest'],
        ["'prod@{2026-11-01T12:00:00}'", 'what ran at that time (UTC)'],
        ["'prod@{3.days.ago}'", 'what ran three days ago; also hours, weeks, and months'],
        ["'prod@{now}'", 'what runs now'],
      ]),
      section('Intervals', [['5..NOW', 'snapshots 5 and later; each side is N, -N, ~N, NOW, or empty']]),
    ].join('\n\n'),
  offline: () =>
    wrap(
      [
        'If the service cannot be reached, begin trail, attest, and snapshot keep their requests in a local spool ' +
          'and exit with 0. With --strict they exit with 9, with --on-unavailable=fail with 7.',
        '',
        'The next command for the same service sends the spool, and so does waymark spool push: entries of one trail ' +
          'in order, each recorded once no matter how many attempts it takes, with its original time. Of the reports ' +
          'of an environment, only the newest is kept.',
        '',
        "'waymark spool status' lists waiting and refused entries, with reasons. The spool contains no keys; it is in " +
          '~/.local/state/waymark/spool or in WAYMARK_SPOOL_DIR. In CI, put it into a cache for the next job.',
        '',
        'Reads never use the spool: assert exits with 7 if the service cannot be reached.',
      ].join('\n'),
    ),
};

export const helpTopicNames = Object.keys(topics);

export function helpTopic(name: string): string | undefined {
  return Object.hasOwn(topics, name) ? topics[name]?.() : undefined;
}
