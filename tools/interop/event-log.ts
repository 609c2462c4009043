import type { Command, Step } from './step.ts';

/** What happened in an environment with three snapshots: a start, another, and in the third a start and two exits. */
export function eventLog(env: string): Step[] {
  const log = (...flags: string[]) => ['log', 'environment', env, ...flags];
  const shows = (args: readonly string[], ...indexes: number[]): Command => ({
    args,
    exit: 0,
    prints: [/^SNAPSHOT +EVENT +FLOW$/m, rowsOf(indexes)],
  });
  const soon = Math.ceil(Date.now() / 1000) + 3600;
  return [
    {
      ...shows(log(), 3, 3, 3, 2, 1),
      prints: [
        rowsOf([3, 3, 3, 2, 1]),
        /^#3 +Artifact: web /m,
        /^ +Fingerprint: [0-9a-f]{64} *$/m,
        /^ +Description: Started in snapshot 3 with 1 instance *$/m,
        /^ +Description: Exited in snapshot 3 *$/m,
        /^ +Reported at: \w{3}, \d\d \w{3} \d{4} [\d:]{8} UTC *$/m,
      ],
    },
    shows(log('--interval', '1..2'), 2, 1),
    shows(log('--interval', '~1..NOW'), 3, 3, 3, 2),
    shows(log('--interval', 'NOW'), 3, 3, 3),
    shows(log('--reverse'), 1, 2, 3, 3, 3),
    shows(log('--page', '2', '--page-limit', '3'), 2, 1),
    shows(log('--start', '2', '--end', '2'), 2),
    shows(log('--start', '3'), 3, 3, 3),
    shows(log('--start', '1hour', '--end', 'NOW'), 3, 3, 3, 2, 1),
    shows(log('--end-ts', String(soon), '--start-ts', `${soon - 7200}.5`), 3, 3, 3, 2, 1),
    { args: log('--end', '30mins'), exit: 0, prints: ['No environment events were found.'] },
    { args: log('--start-ts', String(soon)), exit: 0, prints: ['No environment events were found.'] },
    { args: log('--page', '9'), exit: 0, prints: ['No environment events were found at page number 9.'] },
    {
      args: log('--page-limit', '1', '--reverse', '-o', 'json'),
      exit: 0,
      json: [
        { environment_name: env, snapshot_index: 1, type: 'started', artifact_name: 'web', pipeline: '', flows: [] },
      ],
    },
    {
      args: log('--start', 'foo'),
      exit: 1,
      prints: ["query.start:is 'foo', which is neither an index nor a duration"],
    },
    { args: log('--interval', 'seven'), exit: 1, prints: ["query.interval:has 'seven'"] },
  ];
}

/** Exactly these events, in this order, by the snapshot they are of. */
function rowsOf(indexes: readonly number[]): RegExp {
  return new RegExp(`^SNAPSHOT.*\n${indexes.map((index) => `#${index} .*\n(?: .*\n)*`).join('')}$`);
}
