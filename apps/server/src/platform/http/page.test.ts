import { describe, expect, it } from 'vitest';
import { givenPerson, givenSession } from '../../../test/given/people.ts';
import { startApi } from '../../../test/harness.ts';
import { conflict } from '../errors.ts';
import { html } from './html.ts';
import { BROWSER_COOKIE, handlePage, limitAttempts, localPath } from './page.ts';
import { cookieIn, csrfTokenOf, newSecret, SESSION_COOKIE } from './session-cookie.ts';

const api = await startApi();
const OWN = 'http://waymark.test';

const posted: (string | null)[] = [];
handlePage(api.app, 'GET', '/test-page/:org', async ({ csrfField, person, query }) => ({
  title: `Hello ${person?.actor_name ?? 'stranger'} <b>`,
  body: html`<p>${query.get('text') ?? ''}</p><form method="post">${csrfField}</form>`,
}));
handlePage(api.app, 'POST', '/test-page/:org', async ({ form, ctx }) => {
  posted.push(form.get('text'));
  if (form.get('text') === 'twice') throw conflict('It is <i>there</i> already');
  if (form.get('text') === 'broken') throw new Error('select secret');
  return { to: '/test-page/done', setCookies: [`who=${ctx.actor.name}`] };
});
handlePage(api.app, 'POST', '/test-limited', async ({ address, ctx }) => {
  limitAttempts(() => ({ allowed: false, limit: 1, remaining: 0, resetSeconds: 7 }), address, ctx.now());
  return { to: '/' };
});

type Headers = Record<string, string>;

const get = (headers: Headers = {}, query = '') =>
  api.inject({ method: 'GET', url: `/test-page/acme${query}`, headers });

const post = (headers: Headers, fields: Record<string, string>, url = '/test-page/acme') =>
  api.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

/** A browser that has opened the page: its cookie, and the token in the form. */
async function opened(cookies = ''): Promise<{ cookie: string; csrf: string }> {
  const { headers, body } = await get(cookies ? { cookie: cookies } : {});
  const set = [headers['set-cookie']].flat().map((line) => String(line ?? '').split(';')[0]);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(String(body)) ?? [];
  return { cookie: [cookies, ...set].filter(Boolean).join('; '), csrf };
}

const refused = {
  status: 403,
  body: expect.stringContaining('This form has expired or was not sent from a page of this service') as unknown,
};

it('says where the service is when a page was opened under another name', async () => {
  const { cookie, csrf } = await opened();
  const origin = 'http://localhost:8080';
  expect(await post({ cookie, origin, host: 'localhost:8080' }, { csrf, text: 'hello' })).toMatchObject({
    status: 403,
    body: expect.stringContaining(`This service is available at http://waymark.test, not at ${origin}. Open it there`),
  });
});

it('does not mention the address when a form without its token came from the right one', async () => {
  const { cookie } = await opened();
  expect(await post({ cookie, origin: 'http://waymark.test', host: 'waymark.test' }, { text: 'hello' })).toMatchObject(
    refused,
  );
});

describe('a page', () => {
  it('lets browsers show and send nothing that is not ours, and keep nothing', async () => {
    const { status, headers, body } = await get({}, '?text=%3Cscript%3Ealert(1)%3C/script%3E');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      ),
    });
    expect(body).toContain('<p>&lt;script&gt;');
    expect(body).toContain('Hello stranger &lt;b&gt;');
    expect(body).not.toContain('<script');
  });

  it('gives a browser a secret once, and another to the next browser', async () => {
    const first = await get();
    expect(first.headers['set-cookie']).toMatch(
      new RegExp(`^${BROWSER_COOKIE}=[\\w-]{43}; Path=/; Secure; HttpOnly; SameSite=Lax$`),
    );
    const second = await get();
    expect(second.headers['set-cookie']).not.toBe(first.headers['set-cookie']);
    const again = await get({ cookie: String(first.headers['set-cookie']).split(';')[0] ?? '' });
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  it('knows who has signed in, by the cookie and not by a key', async () => {
    const person = await givenPerson(api, { login: 'visitor' });
    const { cookie } = await givenSession(api, person);
    expect((await get({ cookie })).body).toContain('Hello visitor');
    expect((await get({ authorization: `Bearer ${person.key}` })).body).toContain('Hello stranger');
    expect((await get({ cookie: `${cookie}; ${SESSION_COOKIE}=planted` })).body).toContain('Hello stranger');
    expect((await get({ cookie: `${SESSION_COOKIE}=${newSecret()}` })).body).toContain('Hello stranger');
  });

  it('refuses what no text may hold', async () => {
    expect((await get({}, '?text=%00')).status).toBe(400);
    const { cookie, csrf } = await opened();
    expect((await post({ cookie }, { csrf, text: '\u0000' })).status).toBe(400);
  });
});

describe('a form', () => {
  it('is taken from the browser that opened the page, once it says so', async () => {
    const { cookie, csrf } = await opened();
    const answer = await post({ cookie, origin: OWN, 'sec-fetch-site': 'same-origin' }, { csrf, text: 'hello' });
    expect(answer).toMatchObject({
      status: 303,
      headers: { location: '/test-page/done', 'set-cookie': 'who=sign-in' },
    });
    expect(posted).toContain('hello');
  });

  it.each<[string, Headers]>([
    ['another site', { origin: 'https://elsewhere.test' }],
    ['an origin that the browser hides', { origin: 'null' }],
    ['another site, by what the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbouring host', { 'sec-fetch-site': 'same-site' }],
  ])('is refused from %s, with everything else right', async (_, headers) => {
    const { cookie, csrf } = await opened();
    expect(await post({ cookie, ...headers }, { csrf, text: 'forged' })).toMatchObject(refused);
    expect(posted).not.toContain('forged');
  });

  it('is refused without its token, with that of another browser, and without the cookie', async () => {
    const [ours, theirs] = [await opened(), await opened()];
    expect(await post({ cookie: ours.cookie }, { text: 'forged' })).toMatchObject(refused);
    expect(await post({ cookie: ours.cookie }, { csrf: theirs.csrf, text: 'forged' })).toMatchObject(refused);
    expect(await post({}, { csrf: ours.csrf, text: 'forged' })).toMatchObject(refused);
    expect(posted).not.toContain('forged');
  });

  it('from before the sign-in is worth nothing after it, nor that of another session', async () => {
    const before = await opened();
    const [one, other] = [await givenPerson(api), await givenPerson(api)];
    const [session, another] = [await givenSession(api, one), await givenSession(api, other)];
    const cookie = `${before.cookie}; ${session.cookie}`;
    expect(await post({ cookie }, { csrf: before.csrf, text: 'forged' })).toMatchObject(refused);
    expect(await post({ cookie }, { csrf: another['x-csrf-token'], text: 'forged' })).toMatchObject(refused);
    expect(posted).not.toContain('forged');
    const after = await opened(cookie);
    expect(after.csrf).toBe(session['x-csrf-token']);
    expect(await post({ cookie }, { csrf: after.csrf, text: 'signed' })).toMatchObject({
      status: 303,
      headers: { 'set-cookie': `who=${one.login}` },
    });
  });

  it('with an ended session is that of a browser nobody has signed in with', async () => {
    const browser = await opened();
    const cookie = `${browser.cookie}; ${SESSION_COOKIE}=${newSecret()}`;
    expect(await post({ cookie }, { csrf: browser.csrf, text: 'ended' })).toMatchObject({
      status: 303,
      headers: { 'set-cookie': 'who=sign-in' },
    });
  });

  it('is only a form: JSON and multipart have no fields', async () => {
    const { cookie, csrf } = await opened();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const payload = JSON.stringify({ csrf, text: 'forged' });
      const headers = { cookie, 'content-type': type };
      const { status } = await api.inject({ method: 'POST', url: '/test-page/acme', headers, payload });
      expect([400, 403], type).toContain(status);
    }
    expect(posted).not.toContain('forged');
  });

  it('is not taken by operations of the API', async () => {
    const person = await givenPerson(api, { org: api.org, role: 'admin' });
    const signed = await givenSession(api, person);
    const answer = await api.inject({
      method: 'PUT',
      url: '/api/v2/flows/acme',
      headers: { ...signed, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'name=forged',
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'This endpoint does not accept forms. Send application/json' },
    });
  });

  it('that fails is answered with a page, which reveals no more than it should', async () => {
    const { cookie, csrf } = await opened();
    const twice = await post({ cookie }, { csrf, text: 'twice' });
    expect(twice).toMatchObject({ status: 409, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(twice.body).toContain('It is &lt;i&gt;there&lt;/i&gt; already');
    const broken = await post({ cookie }, { csrf, text: 'broken' });
    expect(broken.status).toBe(500);
    expect(JSON.stringify(broken.body)).not.toContain('secret');
  });

  it('that is sent too often is answered with the time to wait', async () => {
    const { cookie, csrf } = await opened();
    const answer = await post({ cookie }, { csrf }, '/test-limited');
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(answer.body).toContain('Too many attempts');
  });

  it('has a token that only the holder of the cookie can compute', async () => {
    const { cookie, csrf } = await opened();
    expect(csrf).toBe(csrfTokenOf(cookieIn(cookie, BROWSER_COOKIE) ?? ''));
  });
});

describe('a path to go on with', () => {
  it.each(['/', '/account', '/a/b?c=d&e=%2F', '/a?next=https://elsewhere.test', '/a:b@c'])('is %s', (next) => {
    expect(localPath(next, '/account?')).toBe(next);
  });

  it.each([
    null,
    undefined,
    '',
    'account',
    'https://elsewhere.test/',
    'javascript:alert(1)',
    'data:text/html,x',
    '//elsewhere.test',
    '///elsewhere.test',
    '////elsewhere.test',
    '/\\elsewhere.test',
    '\\\\elsewhere.test',
    '/\\/elsewhere.test',
    '/\t/elsewhere.test',
    '/\n/elsewhere.test',
    '\t//elsewhere.test',
    ' //elsewhere.test',
    '/a\r\nset-cookie: x=1',
    '/.//elsewhere.test',
    '/..//elsewhere.test',
    '/a/..//elsewhere.test',
    '/%2e//elsewhere.test',
    '/ä',
    '/a\u0000',
    '/\u2028/elsewhere.test',
    'http:/elsewhere.test',
    'http:elsewhere.test',
  ])('is not %j', (next) => {
    expect(localPath(next, '/account')).toBe('/account');
  });

  it.each(['/./a', '/a/../b', '/a/./../../b#part', '/%2e%2e/b'])('leads nowhere else when it is %s', (next) => {
    const path = localPath(next, '/account');
    expect(new URL(path, 'https://waymark.test').origin).toBe('https://waymark.test');
    expect(path).toMatch(/^\/[^/\\]/);
  });
});
