import { leaveFor, withoutBase } from './base-path.ts';
import { forgetSession } from './known-session.ts';

let leaving = false;

/** The session has ended: sign in, and come back to exactly this. */
export function returnAfterSignIn(org?: string): void {
  if (leaving) return;
  leaving = true;
  forgetSession();
  const here = withoutBase(location.pathname) + location.search;
  leaveFor(`/sign-in${org === undefined ? '' : `/${org}`}?next=${encodeURIComponent(here)}`);
}
