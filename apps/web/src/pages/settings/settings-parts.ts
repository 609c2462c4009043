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
  { id: 'members', label: 'Members', says: 'Who is in the org, in which role, and who is invited.' },
  { id: 'audit-log', label: 'Audit log', says: 'Who became, changed and ceased to be a member, and by whom.' },
  {
    id: 'service-accounts',
    label: 'Service accounts',
    says: 'What programs act as. Each has keys of its own, or lets jobs of a CI system in.',
  },
  {
    id: 'workload-identity',
    label: 'Workload identity',
    says: 'Which jobs of which CI system may act as a service account, without a stored secret.',
  },
  { id: 'sso', label: 'Single sign-on', says: 'How people sign in, and who looks after the members.' },
  { id: 'trust', label: 'Trust', says: 'Whose signatures count as proof.' },
  { id: 'organization', label: 'Organization', says: 'The org itself, and your place in it.' },
  { id: 'keys', label: 'Your keys', says: 'Keys that may do what you may, for the command line and the API.' },
  { id: 'sessions', label: 'Your sessions', says: 'Where you are signed in.' },
];

export function settingsTabs(org: string): readonly Tab[] {
  return SETTINGS_PARTS.map(({ id, label }) => ({ href: paths.settings(org, id), label }));
}
