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
  done: 'Success, or compliant',
  unexpected: 'Unexpected error: a bug in this program',
  usage: 'Wrong usage or invalid input: a flag, an empty value, a missing file, a declined prompt',
  nonCompliant: 'The verdict is non-compliant, or the verification failed',
  denied: 'Not signed in, or not allowed',
  notFound: 'Not found',
  conflict: 'Conflict with the current state',
  unavailable: 'The service could not be reached, did not respond in time after retries, or failed (500)',
  unknown: 'No verdict: no policy applies, or the last report is overdue',
  spooled: 'Spooled on this machine, not delivered (only with --strict)',
  held: 'Not applied yet: another person must approve the change',
  interrupted: 'Interrupted',
};
