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
    display_name: z.string().meta({ description: 'The login where there is no other name' }),
    role: Role.nullable().meta({ description: 'The role they have now; null when they are no longer a member' }),
    departed_at: EpochSeconds,
    suspends_at: EpochSeconds.nullable().meta({
      description: 'When what they made will be suspended; null when it is suspended',
    }),
    suspended_at: EpochSeconds.nullable().meta({ description: 'When it was suspended; null while it still works' }),
    service_accounts: z.array(z.string()).meta({ description: 'Names of the service accounts that are affected' }),
    keys: z.number().int().meta({ description: 'How many keys are or will be suspended' }),
    workload_identities: z.number().int(),
  })
  .meta({ id: 'Departure' });
export type Departure = z.infer<typeof Departure>;

export const listDepartures = contract({
  id: 'listDepartures',
  summary: 'List people whose keys the identity provider ended, newest first',
  description:
    'People whom the identity provider of the org took out or gave a lesser role, and whose keys of service accounts and ' +
    'workload identities are about to be suspended, or were in the last ' +
    `${DEPARTURE_LISTED_DAYS} days. Whoever made nothing is not listed, nor is anybody of whose keys all are restored or ` +
    `revoked. At most ${DEPARTURES_MAX}.`,
  tag: 'Members',
  method: 'GET',
  path: '/organizations/:org/departures',
  access: 'manage_members',
  params: OrgParams,
  status: 200,
  reply: z.array(Departure),
  errors: [400, 401, 403, 429, 503],
});
