import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { App } from '../../../platform/http/app.ts';
import { handlePage, type Visit } from '../../../platform/http/page.ts';
import { answerForAddress, findAsked, type MailConsent } from './mail-address.service.ts';
import { answerPage, unknownPage } from './mail-address-view.ts';

/**
 * The page behind the link in a confirmation mail. Opening it confirms nothing, because mail scanners open links, too.
 */
export function mailAddressPages(app: App): void {
  handlePage(app, 'GET', '/confirm-address/:token', async ({ ctx, params }) => {
    const token = params['token'] ?? '';
    const asked = await findAsked(ctx, token);
    return asked ? answerPage(asked, token) : unknownPage();
  });

  // The token is proof enough: the mail may be read in another browser than the one that opens the page.
  handlePage(
    app,
    'POST',
    '/confirm-address/:token',
    async (visit) => {
      const token = visit.params['token'] ?? '';
      const asked = await answerForAddress(asReader(visit), token, answerIn(visit));
      return asked ? answerPage(asked, token) : unknownPage();
    },
    { fromAnywhere: true },
  );
}

function answerIn({ form }: Visit): MailConsent {
  const answer = form.get('answer');
  if (answer === 'confirmed' || answer === 'declined') return answer;
  throw invalidField('answer', 'must be confirmed or declined');
}

/** The reader of the mail, not whoever happens to be signed in. */
function asReader({ ctx }: Visit): Ctx {
  return { ...ctx, actor: { kind: 'system', id: null, name: 'confirmation link' }, credential: null };
}
