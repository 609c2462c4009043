import { OrgName, text } from '@waymark/contract';
import { z } from 'zod';
import { Problem } from '../../platform/errors.ts';
import type { App, SignInConfig } from '../../platform/http/app.ts';
import { handlePage, limitAttempts, type Page, type Redirect, type Visit } from '../../platform/http/page.ts';
import { createRateLimiter } from '../../platform/http/rate-limit.ts';
import { parse } from '../../platform/http/validation.ts';
import { EmailAddress } from '../../platform/mail/email-address.ts';
import { isGoodSetUpToken, setUp } from './set-up.service.ts';
import { NO_GOOD, type SetUpFields, setUpPage } from './set-up-view.ts';

const Fields = z.object({ org: OrgName, login: OrgName, email: EmailAddress, display_name: text(255) });

/** The first user of a new installation. */
export function setUpRoutes(app: App, { perAddress }: SignInConfig): void {
  const allow = createRateLimiter({ perSecond: perAddress / 60, burst: perAddress }, app.servers);
  const refuse = ({ address, ctx }: Visit): Page => {
    limitAttempts(allow, address, ctx.now());
    return NO_GOOD;
  };

  handlePage(app, 'GET', '/set-up', async (visit) => {
    const token = visit.query.get('token') ?? '';
    if (!(await isGoodSetUpToken(visit.ctx, token))) return refuse(visit);
    return setUpPage(visit, { token, sent: {}, problems: {} });
  });

  handlePage(app, 'POST', '/set-up', async (visit): Promise<Page | Redirect> => {
    const token = visit.form.get('token') ?? '';
    const sent = fieldsIn(visit.form);
    try {
      const { org, login, email, display_name } = parse(Fields, sent, '');
      const first = { orgName: org, login, email, displayName: display_name || null };
      const outcome = await setUp(visit, token, first);
      return outcome === 'no_good' ? refuse(visit) : outcome;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid') throw error;
      // Errors of the fields are shown only to visitors who may fill them in.
      if (!(await isGoodSetUpToken(visit.ctx, token))) return refuse(visit);
      return setUpPage(visit, { token, sent, problems: problemsIn(error, sent) });
    }
  });
}

function fieldsIn(form: URLSearchParams): SetUpFields {
  const field = (name: string) => (form.get(name) ?? '').trim();
  return { org: field('org'), login: field('login'), email: field('email'), display_name: field('display_name') };
}

/** Errors about the name of the org are shown at `name`; the login may just have taken it. */
function problemsIn(
  { fields, message }: Problem,
  { org, login }: SetUpFields,
): Partial<SetUpFields> & { all?: string } {
  const { name, ...others } = (fields ?? { all: message }) as Partial<SetUpFields> & { name?: string; all?: string };
  if (name === undefined) return others;
  if (org === login) return { org: 'must differ from the login, which is the name of your personal org' };
  return { org: name };
}
