import { useLayoutEffect, useRef } from 'react';
import { usePath } from '../lib/route.ts';
import { classes } from './classes.ts';
import { Link } from './Link.tsx';

export interface Tab {
  readonly href: string;
  readonly label: string;
  readonly count?: number;
}

/** Tabs, each with an address of its own. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const path = usePath();
  const current = tabs
    .filter(({ href }) => path === decodeURI(href) || path === href || path.startsWith(`${href}/`))
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
      {tabs.map((tab) => (
        <Link
          key={tab.href}
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
      ))}
    </nav>
  );
}
