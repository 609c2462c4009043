import { type LucideIcon, SlidersHorizontal } from 'lucide-react';
import { paths } from '../../lib/paths.ts';
import { doorsOf } from '../doors.ts';

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
    ['Components', paths.components(org)],
    ['Compare components', paths.componentDiff(org)],
    ['Findings', paths.findings(org)],
    ['Flows', paths.flows(org)],
    ['Policies', paths.policies(org)],
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

/** The icon of the part of the side bar that a line leads to; actions have one in common. */
export function iconOf(org: string, { href }: { readonly href?: string | undefined }): LucideIcon {
  if (href === undefined) return SlidersHorizontal;
  const doors = doorsOf(org).flatMap((group) => group.doors);
  const home = doors.find((door) => door.href === paths.home(org));
  const section = (address: string) => address.split(/[/?]/)[2] ?? '';
  const door = doors.find((other) => section(other.href) === (SECTIONS[section(href)] ?? section(href)));
  return (door ?? home)?.icon ?? SlidersHorizontal;
}

/** Pages that are not in the side bar themselves, by where they belong. */
const SECTIONS: Readonly<Record<string, string>> = {
  artifacts: 'flows',
  changes: 'settings',
  components: 'trace',
  findings: 'trace',
};

/** Offered before anything is typed: the pages of the side bar. */
export function pagesAtFirst(org: string): readonly Entry[] {
  const inSideBar = new Set(doorsOf(org).flatMap(({ doors }) => doors.map(({ href }) => href)));
  return pagesOf(org).filter(({ href = '' }) => inSideBar.has(href));
}
