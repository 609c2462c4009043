import { withBase } from './base-path.ts';
import { forgetSession } from './known-session.ts';

/** Ends the session. A form leaves the application as well, so nothing of the account stays in its memory. */
export function signOut(csrfToken: string): void {
  forgetSession();
  const form = document.createElement('form');
  form.method = 'post';
  form.action = withBase('/sign-out');
  form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'csrf', value: csrfToken }));
  document.body.append(form);
  form.submit();
}
