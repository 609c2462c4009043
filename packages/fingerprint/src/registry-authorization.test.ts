import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { fingerprintImage } from './fingerprint-image.ts';
import { givenImage } from './given-image.ts';
import { closeServers, failureOf, type GivenServer, givenServer, sendManifest } from './given-server.ts';

afterEach(closeServers);

const image = givenImage('amd64');
const identity = { digest: image.manifest.digest, configDigest: image.config.digest };

describe('challenges', () => {
  const credentials = async () => ({ username: 'me', password: 'secret' });
  const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;

  /** A registry and, on the same server, its token issuer. */
  async function givenTokens(issue: (response: ServerResponse) => void, realm?: string): Promise<GivenServer> {
    return givenServer(({ url = '', headers }, response) => {
      if (url.startsWith('/token')) return issue(response);
      if (headers.authorization === 'Bearer t1') return sendManifest(response, image.manifest);
      const value = `Bearer realm="${realm ?? `http://${headers.host}/token?a=b`}",service="reg",scope="repository:acme/web:pull"`;
      response.writeHead(401, { 'www-authenticate': value }).end();
    });
  }

  it.each([
    ['nobody', undefined, undefined],
    ['a user', credentials, basic],
  ])('are answered with a token for %s', async (_, found, authorization) => {
    const fake = await givenTokens((response) => response.end('{"token":"t1"}'));

    expect(await fingerprintImage(`${fake.host}/acme/web:1`, { credentials: found })).toMatchObject(identity);
    expect(fake.requests.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['/v2/acme/web/manifests/1', undefined],
      ['/token?a=b&service=reg&scope=repository%3Aacme%2Fweb%3Apull', authorization],
      ['/v2/acme/web/manifests/1', 'Bearer t1'],
    ]);
  });

  it('are answered with an identity token in the body, never in the address', async () => {
    const fake = await givenTokens((response) => response.end('{"access_token":"t1"}'));
    const identityToken = async () => ({ username: '<token>', password: 'refresh' });

    expect(await fingerprintImage(`${fake.host}/acme/web:1`, { credentials: identityToken })).toMatchObject(identity);
    expect(fake.requests[1]).toEqual({
      url: '/token?a=b',
      authorization: undefined,
      body: 'grant_type=refresh_token&client_id=waymark&refresh_token=refresh&scope=repository%3Aacme%2Fweb%3Apull&service=reg',
    });
  });

  it('send no identity token to another host', async () => {
    const other = await givenServer((_, response) => response.end('{"access_token":"t1"}'));
    const fake = await givenTokens((response) =>
      response.writeHead(307, { location: `http://${other.host}/token` }).end(),
    );
    const identityToken = async () => ({ username: '<token>', password: 'refresh' });

    expect(await failureOf(fake, { credentials: identityToken })).toMatchObject({ failure: 'unusable', status: 307 });
    expect(other.requests).toEqual([]);
  });

  it('that are repeated end the request', async () => {
    const fake = await givenTokens((response) => response.end('{"token":"t2"}'));

    expect(await failureOf(fake, { credentials })).toMatchObject({
      failure: 'needs-credentials',
      status: 401,
      message: `The registry ${fake.host} does not let you read ${fake.host}/acme/web:1`,
    });
    expect(fake.requests).toHaveLength(3);
  });

  it.each([
    ['http://auth.example.com/token'],
    ['ftp://auth.example.com/token'],
    ['https://me:secret@auth.example.com/token'],
    ['not an address'],
    [''],
  ])('that redirect to "%s" are not answered', async (realm) => {
    const fake = await givenTokens((response) => response.end(), realm);

    expect(await failureOf(fake, { credentials })).toMatchObject({
      failure: 'unusable',
      status: 401,
      message: `The registry ${fake.host} sends for a token to an address that is not asked`,
    });
    expect(fake.requests).toHaveLength(1);
  });

  it.each([
    ['no JSON', 200, '<html>', 'unusable'],
    ['no token', 200, '{}', 'unusable'],
    ['a token that no header can hold', 200, '{"token":"hunter2\\r\\nx: y"}', 'unusable'],
    ['no entry', 401, '{}', 'needs-credentials'],
    ['no entry', 403, '{}', 'needs-credentials'],
    ['no answer for now', 503, '{}', 'unavailable'],
    ['nothing there', 404, '{}', 'unusable'],
  ])('whose token is %s (%i) end', async (_, status, body, failure) => {
    const fake = await givenTokens((response) => response.writeHead(status).end(body));
    const error = await failureOf(fake, { credentials });

    expect(error).toMatchObject({ failure, status, asked: `GET http://${fake.host}/token` });
    expect(String(error)).not.toMatch(/hunter2|secret/);
  });

  it('of an unknown kind end', async () => {
    const fake = await givenServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Negotiate' }).end());

    expect(await failureOf(fake, { credentials })).toMatchObject({
      failure: 'needs-credentials',
      hint: 'Basic and Bearer are understood',
    });
  });
});
