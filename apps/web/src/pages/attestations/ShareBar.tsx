import { classes } from '../../ui/classes.ts';

export interface Share {
  readonly name: string;
  readonly count: number;
  /** Class of the fill, such as `bg-bad-fill`. */
  readonly tone: string;
}

/** Parts of a whole side by side, with their numbers below: the numbers are the text version of the bar. */
export function ShareBar({ label, shares }: { readonly label: string; readonly shares: readonly Share[] }) {
  const total = shares.reduce((all, { count }) => all + count, 0);
  const there = shares.filter(({ count }) => count > 0);
  return (
    <figure className="mb-3">
      <div aria-hidden="true" className="flex h-2.5 gap-px overflow-hidden rounded-full bg-raised">
        {there.map(({ name, count, tone }) => (
          <div key={name} className={tone} style={{ width: `${(count / total) * 100}%`, minWidth: 3 }} />
        ))}
      </div>
      <figcaption className="sr-only">{label}</figcaption>
      <ul className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
        {shares.map(({ name, count, tone }) => (
          <li key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={classes('size-2.5 rounded-xs', tone)} />
            <span>
              <strong className="font-semibold tabular-nums">{count.toLocaleString('en')}</strong> {name}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
