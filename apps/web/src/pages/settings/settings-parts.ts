import { paths } from '../../lib/paths.ts';
import type { Tab } from '../../ui/Tabs.tsx';

export type SettingsPart = Parameters<typeof paths.settings>[1];

interface Part {
  readonly id: SettingsPart;
  readonly label: string;
  readonly says: string;
}

/** Settings of the org come first, personal ones last. */
export const SETTINGS_PARTS: readonly Part[] = [
  { id: 'members', label: 'Members', says: 'Members, their roles, and open invitations.' },
  { id: 'audit-log', label: 'Membership log', says: 'Every membership and role change, and who made it.' },
  {
    id: 'service-accounts',
    label: 'Service accounts',
    says: 'Identities for automation, with their own keys or workload identity rules.',
  },
  {
    id: 'workload-identity',
    label: 'Workload identity',
    says: 'CI jobs that can act as a service account without a stored secret.',
  },
  { id: 'sso', label: 'Single sign-on', says: 'Single sign-on, and provisioning of members with SCIM.' },
  { id: 'trust', label: 'Trust', says: 'Signing keys and identities that the org trusts.' },
  { id: 'organization', label: 'Organization', says: 'Org settings, and your membership.' },
  { id: 'keys', label: 'Your keys', says: 'Keys with your permissions, for the command line and the API.' },
  { id: 'sessions', label: 'Your sessions', says: 'Where you are signed in.' },
];

export function settingsTabs(org: string): readonly Tab[] {
  const groups: Partial<Record<SettingsPart, string>> = { members: 'Org', keys: 'Personal' };
  return SETTINGS_PARTS.map(({ id, label }) => {
    const group = groups[id];
    return { href: paths.settings(org, id), label, ...(group !== undefined && { group }) };
  });
}
