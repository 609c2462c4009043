import { z } from 'zod';
import { contract } from './contract.ts';
import { OrgParams } from './evidence.ts';
import { EpochSeconds } from './primitives.ts';
import { Role } from './roles.ts';

/** The number of days after a departure for which its suspensions are listed. */
export const DEPARTURE_LISTED_DAYS = 7;
export const DEPARTURES_MAX = 100;

export const Departure = z
  .object({
    login: z.string(),
    display_name: z.string().meta({ description: 'Falls back to the login' }),
    role: Role.nullable().meta({ description: 'Current role; null if no longer a member' }),
    departed_at: EpochSeconds,
    suspends_at: EpochSeconds.nullable().meta({
      description: 'When their keys and workload identities will be suspended; null if already suspended',
    }),
    suspended_at: EpochSeconds.nullable().meta({ description: 'When they were suspended; null while they still work' }),
    service_accounts: z.array(z.string()).meta({ description: 'Names of the affected service accounts' }),
    keys: z.number().int().meta({ description: 'Number of keys that are or will be suspended' }),
    workload_identities: z.number().int(),
  })
  .meta({ id: 'Departure' });
export type Departure = z.infer<typeof Departure>;

export const listDepartures = contract({
  id: 'listDepartures',
  summary: 'List people whose keys are suspended after the identity provider removed them, newest first',
  description:
    'Lists people whom the identity provider removed from the org or gave a lower role, and whose service account ' +
    'keys and workload identities are about to be suspended, or were suspended in the last ' +
    `${DEPARTURE_LISTED_DAYS} days. People who created none are not listed, nor are people whose keys are all ` +
    `restored or revoked. At most ${DEPARTURES_MAX}.`,
  tag: 'Members',
  method: 'GET',
  path: '/organizations/:org/departures',
  access: 'manage_members',
  params: OrgParams,
  status: 200,
  reply: z.array(Departure),
  errors: [400, 401, 403, 429, 503],
});
