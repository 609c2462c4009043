/** Stable: pipelines branch on them. `waymark help exit-codes` prints this table. */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  usage: 2,
  nonCompliant: 3,
  denied: 4,
  notFound: 5,
  conflict: 6,
  unavailable: 7,
  unknown: 8,
  spooled: 9,
  held: 10,
  interrupted: 130,
} as const;

export type Ending = keyof typeof exitCodes;
export type ExitCode = (typeof exitCodes)[Ending];

export const endings: Readonly<Record<Ending, string>> = {
  done: 'Done, or compliant',
  unexpected: 'An unexpected error: a bug of this program',
  usage: 'Wrong usage or refused input: a flag, an empty value, a missing file, a refused prompt',
  nonCompliant: 'The verdict is no: not compliant, or what was verified does not hold',
  denied: 'Not signed in, or not allowed',
  notFound: 'Not found',
  conflict: 'In conflict with what is there',
  unavailable: 'The service was not reached, did not answer in time after retries, or failed itself (500)',
  unknown: 'There is no verdict: nothing judges it, or what is known is out of date',
  spooled: 'Kept in the local spool, not delivered (only with --strict)',
  held: 'Not done yet: another person has to approve the change',
  interrupted: 'Interrupted',
};
