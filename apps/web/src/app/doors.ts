import {
  Bell,
  Boxes,
  FileCheck2,
  Grid3x3,
  House,
  type LucideIcon,
  MapPin,
  Rocket,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  Workflow,
} from 'lucide-react';
import { paths } from '../lib/paths.ts';

export interface Door {
  readonly href: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** One entry per question that people come with. */
export function doorsOf(org: string): readonly { readonly title: string | null; readonly doors: readonly Door[] }[] {
  return [
    { title: null, doors: [{ href: paths.home(org), label: 'Home', icon: House }] },
    {
      title: 'Runtime',
      doors: [
        { href: paths.environments(org), label: 'Environments', icon: Boxes },
        { href: paths.matrix(org), label: 'Matrix', icon: Grid3x3 },
        { href: paths.trace(org), label: 'Where is it?', icon: MapPin },
        { href: paths.deployments(org), label: 'Deployments', icon: Rocket },
      ],
    },
    { title: 'Provenance', doors: [{ href: paths.flows(org), label: 'Flows', icon: Workflow }] },
    {
      title: 'Rules',
      doors: [
        { href: paths.policies(org), label: 'Policies', icon: ScrollText },
        { href: paths.controls(org), label: 'Controls', icon: ShieldCheck },
      ],
    },
    { title: 'Proof', doors: [{ href: paths.audit(org, 'activity'), label: 'Audit', icon: FileCheck2 }] },
    {
      title: 'Manage',
      doors: [
        { href: paths.notifications(org), label: 'Notifications', icon: Bell },
        { href: paths.deliveries(org), label: 'Deliveries', icon: Send },
        { href: paths.settings(org, 'members'), label: 'Settings', icon: Settings },
      ],
    },
  ];
}
