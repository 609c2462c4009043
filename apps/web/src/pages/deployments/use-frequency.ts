import { getDeploymentFrequency } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { intervalOf, type Window } from './window.ts';

/** How often an environment was deployed to, and how fast. All parts of the page share one query. */
export function useFrequency(env: string | undefined, window: Window) {
  return useRead(
    getDeploymentFrequency,
    { params: { org: useOrg(), env_name: env ?? '' }, query: { ...window, interval: intervalOf(window) } },
    { enabled: env !== undefined, fresh: true },
  );
}
