import type { DeliveryAttempt } from '@waymark/contract';
import { CircleCheck, CircleX } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';

/** Every attempt in order of time, with how long the receiver took. */
export function Attempts({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }) {
  const slowest = Math.max(1, ...attempts.map(({ latency_ms }) => latency_ms));
  return (
    <ol className="relative ml-2 space-y-4 border-l-2 border-line pl-5">
      {attempts.map((attempt) => (
        <Attempt key={attempt.request_id} of={attempt} slowest={slowest} />
      ))}
    </ol>
  );
}

function Attempt({ of, slowest }: { readonly of: DeliveryAttempt; readonly slowest: number }) {
  const Icon = of.delivered ? CircleCheck : CircleX;
  return (
    <li className="relative">
      <Icon
        size={18}
        aria-hidden
        className={classes(
          'absolute top-0.5 -left-[1.9rem] rounded-full bg-panel',
          of.delivered ? 'text-good' : 'text-bad',
        )}
      />
      <p className="flex flex-wrap items-center gap-x-2">
        <span className={classes('font-medium', of.delivered ? 'text-good' : 'text-bad')}>
          Attempt {of.number} {of.delivered ? 'delivered' : 'failed'}
        </span>
        {of.status !== null && <Tag>status {of.status}</Tag>}
        <span className="text-quiet">
          <Time at={of.at} /> · <Time at={of.at} as="exact" />
        </span>
      </p>
      {of.error !== null && <p className="[overflow-wrap:anywhere]">{of.error}</p>}
      <div className="mt-1 flex items-center gap-2 text-[13px] text-quiet">
        <span aria-hidden className="h-1.5 w-32 shrink-0 overflow-hidden rounded-full bg-raised">
          <span
            className={classes('block h-full min-w-0.5', of.delivered ? 'bg-good-fill' : 'bg-bad-fill')}
            style={{ width: `${(of.latency_ms / slowest) * 100}%` }}
          />
        </span>
        <span className="shrink-0 whitespace-nowrap">{of.latency_ms.toLocaleString('en')} ms</span>
        <span className="min-w-0 truncate" title={of.request_id}>
          x-request-id <code>{of.request_id}</code>
        </span>
      </div>
    </li>
  );
}
