import type { Metrics } from '../metrics.ts';
import type { BodyBudget } from './body-budget.ts';

export function observeBodies(metrics: Metrics, { figures }: BodyBudget): void {
  metrics.observe('bodies_held_bytes', 'Memory reserved for request bodies', async () => [
    { value: figures().heldBytes, labels: {} },
  ]);
  metrics.observe('bodies_arriving', 'Request bodies that have not arrived completely', async () => [
    { value: figures().arriving, labels: {} },
  ]);
  metrics.observeSum(
    'bodies_refused_total',
    'Request bodies rejected: by the limit of an org, actor, or address (share), for lack of memory ' +
      '(full), for their speed (slow)',
    async () => Object.entries(figures().refused).map(([reason, value]) => ({ value, labels: { reason } })),
  );
}
