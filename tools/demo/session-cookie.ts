import { openSession } from '../../apps/server/src/features/users/sessions/session.service.ts';
import { findUserByLogin } from '../../apps/server/src/features/users/user.reads.ts';
import { systemCtx } from '../../apps/server/src/platform/ctx.ts';
import type { Db } from '../../apps/server/src/platform/db/db.ts';
import { SESSION_COOKIE } from '../../apps/server/src/platform/http/session-cookie.ts';
import { createLogger } from '../../apps/server/src/platform/log.ts';

/** A session for a browser, without the sign-in pages. */
export async function sessionCookie(db: Db, url: string, login: string, now = () => new Date()) {
  const user = await findUserByLogin(db, login);
  if (!user) throw new Error(`there is no ${login}`);
  const ctx = { ...systemCtx(db, user.personalOrg, 'tests', createLogger('silent')), now };
  const session = { user, method: 'link', onlyOrg: null, address: '127.0.0.1', userAgent: 'tests' } as const;
  const { secret } = await openSession(ctx, session);
  // Browsers accept the cookie as secure on a plain local address; Playwright needs a flag.
  return { name: SESSION_COOKIE, value: secret, url: url.replace('http:', 'https:'), secure: true, httpOnly: true };
}
