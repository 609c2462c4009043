import { Fragment, useLayoutEffect, useRef } from 'react';
import { usePath } from '../lib/route.ts';
import { classes } from './classes.ts';
import { Link } from './Link.tsx';

export interface Tab {
  readonly href: string;
  readonly label: string;
  readonly count?: number;
  /** Starts a group of this name. */
  readonly group?: string;
  /** Pages below its address are not part of it. */
  readonly isAlone?: boolean;
}

/** Tabs, each with an address of its own. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const path = usePath();
  const current = tabs
    .filter(
      ({ href, isAlone }) => path === decodeURI(href) || path === href || (!isAlone && path.startsWith(`${href}/`)),
    )
    .sort((one, other) => other.href.length - one.href.length)[0];
  const strip = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen: scroll to the current one.
  useLayoutEffect(() => {
    const open = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (!strip.current || !open) return;
    strip.current.scrollLeft =
      open.offsetLeft - strip.current.offsetLeft - strip.current.clientWidth / 2 + open.offsetWidth / 2;
  }, [current?.href]);
  return (
    <nav ref={strip} aria-label={label} className="-mb-px flex gap-1 overflow-x-auto no-print">
      {tabs.map((tab, place) => (
        <Fragment key={tab.href}>
          {tab.group !== undefined && <GroupName isFirst={place === 0}>{tab.group}</GroupName>}
          <Link
            href={tab.href}
            {...(tab === current && { 'aria-current': 'page' })}
            className={classes(
              'border-b-2 px-3 py-2 text-[13.5px] font-medium whitespace-nowrap no-underline hover:no-underline',
              tab === current ? 'border-accent text-ink' : 'border-transparent text-quiet hover:text-ink',
            )}
          >
            {tab.label}
            {tab.count !== undefined && <span className="ml-1.5 text-quiet">{tab.count.toLocaleString('en')}</span>}
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}

function GroupName({ isFirst, children }: { readonly isFirst: boolean; readonly children: string }) {
  return (
    <span
      className={classes(
        'self-center pr-1 text-[12.5px] whitespace-nowrap text-quiet',
        !isFirst && 'ml-3 border-l border-line pl-4',
      )}
    >
      {children}
    </span>
  );
}
