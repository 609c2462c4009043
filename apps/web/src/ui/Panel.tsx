import { useId } from 'react';
import { classes } from './classes.ts';

/** A section of a page, with its heading and actions. */
export function Panel({
  title,
  note,
  actions,
  children,
  flush = false,
  className,
}: {
  readonly title?: React.ReactNode;
  readonly note?: React.ReactNode;
  readonly actions?: React.ReactNode;
  readonly children: React.ReactNode;
  /** Its content reaches the edges, as tables do. */
  readonly flush?: boolean;
  readonly className?: string;
}) {
  const id = useId();
  return (
    <section
      {...(title !== undefined && { 'aria-labelledby': id })}
      className={classes('overflow-clip rounded-lg border border-line bg-panel print:border-0', className)}
    >
      {title !== undefined && (
        <div className={classes('flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-3', flush ? 'pb-3' : 'pb-1')}>
          <h2 id={id} className="text-[15px] font-semibold">
            {title}
          </h2>
          {note !== undefined && <div className="text-[13px] text-quiet">{note}</div>}
          {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={flush ? '' : 'px-4 pt-2 pb-4'}>{children}</div>
    </section>
  );
}

/** Names and values side by side. Rows whose value is null or undefined are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, React.ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5">
      {rows
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export function Tag({ children, title }: { readonly children: React.ReactNode; readonly title?: string }) {
  return (
    <span
      {...(title !== undefined && { title })}
      className="inline-block max-w-full truncate rounded bg-raised px-1.5 py-0.5 align-middle text-[12.5px] text-quiet"
    >
      {children}
    </span>
  );
}

export function Notice({
  kind,
  title,
  children,
  actions,
  announce = false,
}: {
  readonly kind: 'info' | 'good' | 'bad' | 'unsure' | 'waived';
  readonly title?: React.ReactNode;
  readonly children?: React.ReactNode;
  readonly actions?: React.ReactNode;
  /** Whether screen readers announce it at once, as an error. */
  readonly announce?: boolean;
}) {
  const tones = {
    info: 'border-line bg-raised',
    good: 'border-good/40 bg-good-wash',
    bad: 'border-bad/40 bg-bad-wash',
    unsure: 'border-unsure/40 bg-unsure-wash',
    waived: 'border-waived/40 bg-waived-wash',
  };
  return (
    <div {...(announce && { role: 'alert' })} className={classes('rounded-lg border px-4 py-3', tones[kind])}>
      {title !== undefined && <p className="font-semibold">{title}</p>}
      {children !== undefined && <div className="[overflow-wrap:anywhere]">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
