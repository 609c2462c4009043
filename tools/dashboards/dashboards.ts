import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { api } from './api.ts';
import { overview } from './overview.ts';
import { worker } from './worker.ts';

/** The dashboards by the name of their file. */
export const dashboards: Readonly<Record<string, Dashboard>> = {
  'overview.json': overview,
  'api.json': api,
  'worker.json': worker,
};

export function dashboardText(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** The expressions of its panels, each with the panel's title. */
export function queriesOf({ panels = [] }: Dashboard): { readonly panel: string; readonly expr: string }[] {
  return panels.flatMap((panel) => {
    if (!('targets' in panel)) return [];
    const targets = (panel.targets ?? []) as unknown as { expr: string }[];
    return targets.map(({ expr }) => ({ panel: panel.title ?? '', expr }));
  });
}
