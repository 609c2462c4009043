import { useEffect } from 'react';
import { Link } from './Link.tsx';
import { type Tab, Tabs } from './Tabs.tsx';

interface Crumb {
  readonly href: string;
  readonly label: string;
}

/** The top of every page: breadcrumbs, title, verdict and actions. */
export function PageHead({
  title,
  crumbs = [],
  state,
  note,
  actions,
  tabs,
  partsOf = title,
}: {
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  readonly state?: React.ReactNode;
  readonly note?: React.ReactNode;
  readonly actions?: React.ReactNode;
  readonly tabs?: readonly Tab[];
  /** What the tabs are the parts of, if the title is that of the open one. */
  readonly partsOf?: string;
}) {
  useEffect(() => {
    document.title = `${title} · Waymark`;
  }, [title]);
  return (
    <header className="mb-4 border-b border-line">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-1 text-[13px] text-quiet no-print">
          {crumbs.map(({ href, label }, place) => (
            <span key={href}>
              {place > 0 && (
                <span aria-hidden className="mx-1.5">
                  /
                </span>
              )}
              <Link href={href} className="text-quiet hover:text-ink">
                {label}
              </Link>
            </span>
          ))}
        </nav>
      )}
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2 pb-3">
        <h1 className="min-w-0 text-[22px] leading-8 font-semibold tracking-[-0.01em] [overflow-wrap:anywhere]">
          {title}
        </h1>
        {state !== undefined && <div className="flex flex-wrap items-center gap-2 pt-0.5">{state}</div>}
        {actions !== undefined && <div className="ml-auto flex flex-wrap items-start gap-2">{actions}</div>}
        {note !== undefined && <div className="w-full text-quiet">{note}</div>}
      </div>
      {tabs !== undefined && <Tabs label={`Parts of ${partsOf}`} tabs={tabs} />}
    </header>
  );
}
