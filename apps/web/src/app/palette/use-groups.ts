import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { useOrg, usePath } from '../../lib/route.ts';
import { useOrgKind, useRole, useSession } from '../../lib/session.ts';
import { signOut } from '../../lib/sign-out.ts';
import { actionsOf } from './actions.ts';
import { type Entry, type Group, pagesAtFirst, pagesOf } from './places.ts';
import { recentPlaces, rememberPlace } from './recent-places.ts';
import { beginsWords, holdsWords, type Sought, soughtBy } from './sought.ts';
import { type Found, useFound } from './use-found.ts';
import { verbsOf } from './verbs.ts';

/**
 * The entries offered. Those that need no response of the server come first, so that nothing moves under the selected
 * line when the response arrives.
 */
export function useGroups(typed: string): Found {
  const org = useOrg();
  const preferences = usePreferences();
  const verbs = useVerbs(org);
  const token = useSession().data?.csrf_token;
  const actions = actionsOf({ ...preferences, signOut: token == null ? undefined : () => signOut(token) });
  const recent = useRecent(org);
  const { groups: found, isSearching, error } = useFound(org, typed);
  const sought = soughtBy(typed);
  const beginning = (entries: readonly Entry[]) => entries.filter(({ label }) => beginsWords(typed.trim(), label));
  const isEmpty = sought.kind === 'nothing';
  const own: Group[] = [
    { id: 'change', title: 'Trace', entries: isTraceable(sought) ? whereIs(org, sought) : [] },
    {
      id: 'recent',
      title: 'Recent',
      entries: recent.filter(({ label, hint }) => holdsWords(typed.trim(), label, hint ?? '')),
    },
    { id: 'pages', title: 'Pages', entries: isEmpty ? pagesAtFirst(org) : beginning(pagesOf(org)) },
    { id: 'actions', title: 'Actions', entries: beginning([...verbs, ...actions]) },
  ];
  // Last, or it would be selected before the search has finished.
  const last: Group[] =
    isSearching || isEmpty || error !== null || isTraceable(sought)
      ? []
      : [
          {
            id: 'trace',
            title: [...own, ...found].some(({ entries }) => entries.length > 0)
              ? 'Elsewhere'
              : 'No results with that name',
            entries: whereIs(org, sought),
          },
        ];
  return {
    groups: [...own, ...withoutRecent(found, own), ...last].filter(({ entries }) => entries.length > 0),
    isSearching,
    error,
  };
}

function useVerbs(org: string): readonly Entry[] {
  return verbsOf({ org, role: useRole(), isShared: useOrgKind() === 'shared', path: usePath() });
}

function isTraceable(sought: Sought): boolean {
  return sought.kind === 'digits' || sought.kind === 'change' || isComponent(sought);
}

function isComponent(sought: Sought): boolean {
  return sought.kind === 'name' && /^pkg:./i.test(sought.text);
}

function whereIs(org: string, sought: Sought): Entry[] {
  if (sought.kind === 'nothing') return [];
  const { text } = sought;
  if (isComponent(sought)) {
    const hint = 'Components';
    return [{ id: `component ${text}`, label: `What runs ${text}?`, href: paths.components(org, text), hint }];
  }
  return [{ id: `where ${text}`, label: `Where is ${text}?`, href: paths.trace(org, text), hint: 'Where is it?' }];
}

/** Without duplicates, or two lines would be selected together. */
function withoutRecent(found: readonly Group[], own: readonly Group[]): Group[] {
  const shown = new Set(own.flatMap(({ entries }) => entries.map(({ href }) => href)));
  return found.map((group) => ({ ...group, entries: group.entries.filter(({ href }) => !shown.has(href)) }));
}

/** As of when the palette was opened. The current page is remembered for the next time, and not offered. */
function useRecent(org: string): readonly Entry[] {
  const path = usePath();
  const [places] = useState(() => {
    const before = recentPlaces(org);
    const isDoor = pagesOf(org).some(({ href }) => href === path);
    const label = document.title.replace(/ · Waymark$/, '');
    if (!isDoor && path.split('/').length > 3) rememberPlace(org, { href: path, label });
    return before.filter(({ href }) => href !== path);
  });
  return places.map(({ href, label }) => ({
    id: `recent ${href}`,
    href,
    label,
    hint: whatIs(href),
    isRemembered: true,
  }));
}

const KINDS: Readonly<Record<string, string>> = {
  environments: 'environment',
  flows: 'flow',
  policies: 'policy',
  controls: 'control',
  artifacts: 'artifact',
  trails: 'trail',
  trace: 'trace',
  deliveries: 'delivery',
  changes: 'change request',
};

/** Returns the kind of a place, by the last one in its address. */
function whatIs(href: string): string {
  const kinds = href.split('/').flatMap((part) => KINDS[part] ?? []);
  return kinds.at(-1) ?? '';
}
