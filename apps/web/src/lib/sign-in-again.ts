let leaving = false;

/** The session has ended: sign in, and come back to exactly this. */
export function returnAfterSignIn(org?: string): void {
  if (leaving) return;
  leaving = true;
  const here = location.pathname + location.search;
  location.assign(`/sign-in${org === undefined ? '' : `/${org}`}?next=${encodeURIComponent(here)}`);
}
