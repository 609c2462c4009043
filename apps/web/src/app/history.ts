import { createBrowserHistory, type RouterHistory } from '@tanstack/react-router';
import { BASE_PATH, withBase, withoutBase } from '../lib/base-path.ts';

/**
 * Hides the base path from the router. Its own option for that would take an org with the name of the base path for the
 * base path.
 */
export function createHistory(): RouterHistory {
  if (BASE_PATH === '') return createBrowserHistory();
  return createBrowserHistory({
    createHref: withBase,
    parseLocation() {
      const { search, hash } = location;
      const pathname = withoutBase(location.pathname);
      return { href: pathname + search + hash, pathname, search, hash, state: history.state };
    },
  });
}
