import type { Ctx } from '../../../platform/ctx.ts';
import type { App } from '../../../platform/http/app.ts';
import { handlePage, type Visit } from '../../../platform/http/page.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { findSubscription, refuseMail } from './mail-refusal.service.ts';
import { askPage, orgRefusedPage, refusedPage, unknownPage } from './mail-refusal-view.ts';
import { readToken } from './unsubscribe-link.ts';

/** The page behind the unsubscribe link. Opening it refuses nothing, because mail scanners open links, too. */
export function mailRefusalPages(app: App, secretBox: SecretBox | undefined): void {
  const subscriptionOf = ({ params }: Visit) => readToken(secretBox, params['token'] ?? '');

  handlePage(app, 'GET', '/unsubscribe/:token', async (visit) => {
    const subscription = subscriptionOf(visit);
    const found = subscription && (await findSubscription(visit.ctx.db, subscription));
    if (!subscription || !found) return unknownPage();
    const token = visit.params['token'] ?? '';
    if (found.is_refused_by_org) return orgRefusedPage(found, subscription.address);
    if (found.is_refused) return refusedPage(found, subscription.address, token);
    return askPage(found, subscription.address, token);
  });

  // Mail programs send it on their own, without a cookie or a page of ours (RFC 8058). The token is proof enough.
  handlePage(
    app,
    'POST',
    '/unsubscribe/:token',
    async (visit) => {
      const subscription = subscriptionOf(visit);
      const scope = visit.form.get('stop') === 'org' ? 'org' : 'notification';
      const found = subscription && (await refuseMail(asReader(visit), subscription, scope));
      if (!subscription || !found) return unknownPage();
      if (scope === 'org' || found.is_refused_by_org) return orgRefusedPage(found, subscription.address);
      return refusedPage(found, subscription.address, visit.params['token'] ?? '');
    },
    { fromAnywhere: true },
  );
}

/** The reader of the mail, not whoever happens to be signed in. */
function asReader({ ctx }: Visit): Ctx {
  return { ...ctx, actor: { kind: 'system', id: null, name: 'unsubscribe link' }, credential: null };
}
