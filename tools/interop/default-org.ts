import type { Step } from './step.ts';

/** The org that the client works in when none is named. */
export function defaultOrg(run: string): Step[] {
  return [
    { args: ['update', 'default-org', 'acme'], exit: 0, prints: ['acme'] },
    { args: ['get', 'default-org'], exit: 0, prints: ['acme'] },
    { args: ['update', 'default-org', 'acme'], exit: 0, prints: ['acme'] },
    {
      args: ['update', 'default-org', `${run}-nobody`],
      exit: 1,
      prints: ['There is no such org, or you are not a member of it'],
    },
    { args: ['get', 'default-org'], exit: 0, prints: ['acme'] },
  ];
}
