import { paths } from '../../lib/paths.ts';
import { changePreferences, type Theme } from '../../lib/preferences.ts';
import type { Zone } from '../../lib/time.ts';

/** A line of the palette: it leads somewhere, or does something. */
export interface Entry {
  readonly id: string;
  readonly label: string;
  /** What it is, or where. */
  readonly hint?: string;
  readonly href?: string;
  readonly run?: () => void;
  /** Whether following it adds it to the recent places. */
  readonly isRemembered?: boolean;
}

export interface Group {
  readonly id: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

export function pagesOf(org: string): readonly Entry[] {
  const pages: readonly (readonly [string, string])[] = [
    ['Home', paths.home(org)],
    ['Environments', paths.environments(org)],
    ['Matrix', paths.matrix(org)],
    ['Where is it?', paths.trace(org)],
    ['Deployments', paths.deployments(org)],
    ['Flows', paths.flows(org)],
    ['Policies', paths.policies(org)],
    ['Create policy', paths.newPolicy(org)],
    ['Controls', paths.controls(org)],
    ['Audit: activity', paths.audit(org, 'activity')],
    ['Audit: packages and reports', paths.audit(org, 'packages')],
    ['Audit: waivers and overrides', paths.audit(org, 'exceptions')],
    ['Audit: compliance over time', paths.audit(org, 'compliance')],
    ['Notifications', paths.notifications(org)],
    ['Deliveries', paths.deliveries(org)],
    ['Change requests', paths.changes(org)],
    ['Settings: members', paths.settings(org, 'members')],
    ['Settings: service accounts', paths.settings(org, 'service-accounts')],
    ['Settings: your keys', paths.settings(org, 'keys')],
    ['Settings: membership log', paths.settings(org, 'audit-log')],
    ['Settings: workload identity', paths.settings(org, 'workload-identity')],
    ['Settings: single sign-on', paths.settings(org, 'sso')],
    ['Settings: trust', paths.settings(org, 'trust')],
    ['Settings: sessions', paths.settings(org, 'sessions')],
    ['Settings: organization', paths.settings(org, 'organization')],
  ];
  return pages.map(([label, href]) => ({ id: `page ${href}`, label, href }));
}

const THEMES: Record<Theme, string> = {
  light: 'Appearance: light',
  dark: 'Appearance: dark',
  system: 'Appearance: system',
};

/** Actions that are available everywhere. Settings that already apply are not offered. */
export function actionsOf(now: {
  readonly theme: Theme;
  readonly zone: Zone;
  readonly live: boolean;
}): readonly Entry[] {
  const themes = (Object.keys(THEMES) as Theme[])
    .filter((theme) => theme !== now.theme)
    .map((theme) => ({ id: `theme ${theme}`, label: THEMES[theme], run: () => changePreferences({ theme }) }));
  const otherZone: Zone = now.zone === 'utc' ? 'local' : 'utc';
  return [
    {
      id: 'live',
      label: now.live ? 'Pause live updates' : 'Resume live updates',
      run: () => changePreferences({ live: !now.live }),
    },
    ...themes,
    {
      id: 'zone',
      label: otherZone === 'utc' ? 'Show times in UTC' : 'Show local times',
      run: () => changePreferences({ zone: otherZone }),
    },
    { id: 'print', label: 'Print this page', run: () => setTimeout(() => print()) },
  ];
}
