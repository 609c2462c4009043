import type { Delivery } from '@waymark/contract';

export const DELIVERY_STATES = ['delivered', 'waiting', 'failed', 'dropped'] as const;

export const DELIVERY_WORDS: Record<Delivery['state'], string> = {
  delivered: 'Delivered',
  waiting: 'Waiting',
  failed: 'Failed',
  dropped: 'Dropped',
};

export interface Outcome {
  readonly state: Delivery['state'];
  readonly count: number;
}

/** The number of each state; states without any are left out. */
export function outcomesOf(deliveries: readonly Pick<Delivery, 'state'>[]): Outcome[] {
  return DELIVERY_STATES.map((state) => ({
    state,
    count: deliveries.filter((delivery) => delivery.state === state).length,
  })).filter(({ count }) => count > 0);
}
