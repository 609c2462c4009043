import type { Delivery } from '@waymark/contract';
import { BarsTwin } from '../../pictures/BarsTwin.tsx';
import { DeliveryState } from './DeliveryState.tsx';
import { DELIVERY_WORDS, outcomesOf } from './outcomes.ts';

const FILLS: Record<Delivery['state'], string> = {
  delivered: 'bg-good-fill',
  failed: 'bg-bad-fill',
  waiting: 'bg-unsure-fill hatch',
  dropped: 'bg-field/50',
};

/** The outcomes of the deliveries on this page. */
export function OutcomeBar({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const outcomes = outcomesOf(deliveries);
  const summary = outcomes.map(({ state, count }) => `${count} ${DELIVERY_WORDS[state].toLowerCase()}`).join(', ');
  return (
    <div>
      <div
        role="img"
        aria-label={`Of ${deliveries.length} deliveries on this page: ${summary}.`}
        className="flex h-3 gap-px overflow-hidden rounded-full bg-raised"
      >
        {outcomes.map(({ state, count }) => (
          <div key={state} className={FILLS[state]} style={{ flexGrow: count }} title={`${count} ${state}`} />
        ))}
      </div>
      <div className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-quiet">
        {outcomes.map(({ state, count }) => (
          <span key={state} className="inline-flex items-center gap-1.5">
            <DeliveryState state={state} /> {count} of {deliveries.length}
          </span>
        ))}
      </div>
      <BarsTwin
        caption="Outcomes of the deliveries on this page"
        heads={['State', 'Deliveries']}
        rows={outcomes.map(({ state, count }) => ({ key: state, cells: [DELIVERY_WORDS[state], count] }))}
      />
    </div>
  );
}
