export interface Place {
  readonly href: string;
  readonly label: string;
}

export const RECENT_MAX = 8;

const keyOf = (org: string) => `waymark-recent-${org}`;

function isPlace(value: unknown): value is Place {
  const { href, label } = (value ?? {}) as Partial<Record<keyof Place, unknown>>;
  return typeof href === 'string' && typeof label === 'string';
}

/** Returns places of this org only, whatever else is stored. */
export function readPlaces(stored: string | null, org: string): Place[] {
  try {
    const found: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(found)
      ? found
          .filter((each) => isPlace(each) && each.href.startsWith(`/${encodeURIComponent(org)}/`))
          .slice(0, RECENT_MAX)
      : [];
  } catch {
    return [];
  }
}

/** The newest first, each once. */
export function withPlace(places: readonly Place[], place: Place): Place[] {
  return [place, ...places.filter(({ href }) => href !== place.href)].slice(0, RECENT_MAX);
}

export function recentPlaces(org: string): Place[] {
  try {
    return readPlaces(localStorage.getItem(keyOf(org)), org);
  } catch {
    return [];
  }
}

export function rememberPlace(org: string, place: Place): void {
  try {
    localStorage.setItem(keyOf(org), JSON.stringify(withPlace(recentPlaces(org), place)));
  } catch {
    // A browser without storage has no recent places.
  }
}
