import type { listActivity } from '@waymark/contract';
import { z } from 'zod';
import { dayEnd, dayStart } from '../../../lib/day.ts';

/** The subjects of entries in the words of the application, and the prefixes of their types. */
export const SUBJECTS: Readonly<Record<string, { readonly label: string; readonly types: readonly string[] }>> = {
  environments: { label: 'Environments and snapshots', types: ['environment', 'snapshot'] },
  allow_lists: { label: 'Waivers', types: ['allow_list'] },
  policies: { label: 'Policies', types: ['policy'] },
  controls: { label: 'Controls', types: ['control'] },
  flows: { label: 'Flows and trails', types: ['flow', 'trail'] },
  evidence: {
    label: 'Artifacts and attestations',
    types: ['artifact', 'attestation', 'attestation_type', 'approval'],
  },
  notifications: {
    label: 'Notifications and deliveries',
    types: ['notification', 'notification_config', 'target', 'delivery', 'deliveries', 'org_mail_refusal'],
  },
  members: { label: 'Members and invitations', types: ['membership', 'invitation'] },
  sign_in: { label: 'Sign-in', types: ['session', 'sso', 'scim', 'scim_group', 'scim_user'] },
  keys: {
    label: 'Keys and service accounts',
    types: ['api_key', 'service_account', 'workload_identity', 'trust'],
  },
  org: { label: 'Org settings', types: ['org', 'repository', 'journal'] },
};

export const ActivitySearch = z.object({
  actor: z.string().max(255).optional(),
  /** One of the subjects above, or a type as the event stream names it. */
  type: z
    .string()
    .max(100)
    .regex(/^[a-z_]+(\.[a-z_]+(\.v\d{1,3})?)?$/)
    .optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  after: z.string().optional(),
});
export type ActivitySearch = z.output<typeof ActivitySearch>;

const PER_PAGE = 50;

export function queryOf({ actor, type, from, to, after }: ActivitySearch): z.input<(typeof listActivity)['query']> {
  return {
    actor: actor || undefined,
    type: type === undefined ? undefined : [...(SUBJECTS[type]?.types ?? [type])],
    from: dayStart(from),
    to: dayEnd(to),
    per_page: PER_PAGE,
    after,
  };
}

export function isFiltered({ actor, type, from, to }: ActivitySearch): boolean {
  return [actor, type, from, to].some((value) => value !== undefined && value !== '');
}
