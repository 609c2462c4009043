import { afterEach, describe, expect, it } from 'vitest';
import { type FingerprintImageOptions, fingerprintImage } from './fingerprint-image.ts';
import { blob, descriptor, givenImage, givenIndex, OCI } from './given-image.ts';
import { closeServers, failureOf, givenServer, sendManifest } from './given-server.ts';

afterEach(closeServers);

const image = givenImage('amd64');

describe('a response that is not the image', () => {
  it('is a manifest under the digest of another', async () => {
    const fake = await givenServer((_, response) => sendManifest(response, image.manifest));
    const digest = '0'.repeat(64);

    await expect(fingerprintImage(`${fake.host}/acme/web@sha256:${digest}`)).rejects.toMatchObject({
      failure: 'unusable',
      status: 200,
      message: `What ${fake.host} sent for ${fake.host}/acme/web@sha256:${digest} has another digest: sha256:${image.manifest.digest}`,
    });
  });

  it('is a manifest with another digest in the header', async () => {
    const fake = await givenServer((_, response) => {
      sendManifest(response, { ...image.manifest, digest: '0'.repeat(64) });
    });

    expect(await failureOf(fake)).toMatchObject({
      failure: 'unusable',
      message: expect.stringContaining(
        `is not what the registry says it is: its digest is sha256:${image.manifest.digest}`,
      ),
    });
  });

  it('is another manifest than the one in the index', async () => {
    const { index } = givenIndex();
    const fake = await givenServer(({ url }, response) => {
      sendManifest(response, url?.endsWith(':1') || url?.endsWith('/1') ? index : image.manifest);
    });

    expect(await failureOf(fake)).toMatchObject({ message: expect.stringContaining('has another digest: sha256:') });
  });

  const oci = { schemaVersion: 2, mediaType: OCI.manifest };
  it.each([
    ['HTML', 'text/html', '<!doctype html>', 'is not JSON'],
    ['no object', OCI.manifest, '[]', 'is not a JSON object'],
    ['not UTF-8', OCI.manifest, Buffer.from([0x22, 0xff, 0x22]), 'is not JSON'],
    ['something else', 'application/json', '{"ok":true}', 'is neither an index nor a manifest of an image'],
    ['the first version', 'application/json', '{"schemaVersion":1}', 'is a manifest of the first version'],
    ['an index and a manifest', OCI.index, '{"manifests":[],"layers":[]}', 'is an index and a manifest at once'],
    ['another type than declared', OCI.index, JSON.stringify({ ...oci, layers: [] }), 'says itself to be'],
    ['of a type that is none', OCI.index, '{"mediaType":"text/plain"}', 'is of the type "text/plain"'],
    ['a manifest of nothing', OCI.manifest, '{}', 'has no config and layers'],
    ['an index of nothing', OCI.index, '{}', 'has no list of manifests'],
  ])('is %s', async (_, type, body, why) => {
    const fake = await givenServer((_, response) => response.setHeader('content-type', type).end(body));

    expect(await failureOf(fake)).toMatchObject({ failure: 'unusable', message: expect.stringContaining(why) });
  });

  it('never ends', async () => {
    let sent = 0;
    const fake = await givenServer((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', more);
      more();
    });

    expect(await failureOf(fake)).toMatchObject({
      failure: 'unusable',
      message: `The answer of ${fake.host} is longer than 4194304 bytes`,
    });
    expect(sent).toBeLessThan(32 * 1024 ** 2);
  });
});

describe('redirects', () => {
  it('are followed, without the credentials to another host', async () => {
    const other = await givenServer((_, response) => sendManifest(response, image.manifest));
    const fake = await givenServer(({ headers }, response) => {
      if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      else response.writeHead(307, { location: `http://${other.host}/elsewhere?signature=hunter2` }).end();
    });
    const credentials = async () => ({ username: 'me', password: 'secret' });

    expect(await fingerprintImage(`${fake.host}/acme/web:1`, { credentials })).toMatchObject({
      digest: image.manifest.digest,
    });
    expect(other.requests).toEqual([{ url: '/elsewhere?signature=hunter2', authorization: undefined, body: '' }]);
  });

  it('in circles end', async () => {
    const fake = await givenServer(({ url }, response) => response.writeHead(302, { location: url }).end());

    expect(await failureOf(fake)).toMatchObject({
      failure: 'unusable',
      message: `${fake.host} redirects more than 5 times`,
    });
    expect(fake.requests).toHaveLength(6);
  });

  it.each([
    'http://registry.example.com/v2',
    'file:///etc/passwd',
    'https://me:secret@registry.example.com/',
    'http://',
    undefined,
  ])('to %s are not', async (location) => {
    const fake = await givenServer((_, response) => response.writeHead(302, location ? { location } : {}).end());

    expect(await failureOf(fake)).toMatchObject({
      failure: 'unusable',
      message: `${fake.host} redirects to where it is not followed`,
    });
  });
});

describe('a registry that', () => {
  it.each([
    [403, 'needs-credentials'],
    [404, 'not-found'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [204, 'unusable'],
    [400, 'unusable'],
  ])('answers %i is %s', async (status, failure) => {
    const fake = await givenServer((_, response) => response.writeHead(status).end());

    expect(await failureOf(fake)).toMatchObject({ name: 'RegistryError', failure, status });
  });

  it('lacks a platform that its index names still has the index', async () => {
    const { index, arm64, amd64 } = givenIndex();
    const fake = await givenServer(({ url = '' }, response) => {
      if (url.endsWith('/1')) return sendManifest(response, index);
      if (url.endsWith(arm64.manifest.digest)) return sendManifest(response, arm64.manifest);
      response.writeHead(404).end();
    });

    expect(await fingerprintImage(`${fake.host}/acme/web:1`)).toMatchObject({
      digest: index.digest,
      platforms: [
        { digest: arm64.manifest.digest, configDigest: arm64.config.digest },
        { digest: amd64.manifest.digest, configDigest: null },
      ],
    });
  });

  it('names no type has that of the document', async () => {
    const { mediaType: _, ...manifest } = JSON.parse(image.manifest.bytes.toString());
    const index = blob({ schemaVersion: 2, manifests: [descriptor(blob(manifest, OCI.manifest))] }, OCI.index);
    const fake = await givenServer(({ url = '' }, response) => {
      response.end(url.endsWith('/1') ? index.bytes : JSON.stringify(manifest));
    });

    expect(await fingerprintImage(`${fake.host}/acme/web:1`)).toMatchObject({
      kind: 'index',
      mediaType: OCI.index,
      platforms: [{ platform: 'unknown', configDigest: image.config.digest }],
    });
  });

  it('is down cannot be reached', async () => {
    const fake = await givenServer(() => undefined);
    closeServers();

    expect(await failureOf(fake)).toMatchObject({
      failure: 'not-reachable',
      status: null,
      message: `The registry at ${fake.host} cannot be reached: ECONNREFUSED`,
      asked: `GET http://${fake.host}/v2/acme/web/manifests/1`,
    });
  });

  it('offers http only is not used, unless it is on this machine or that is allowed', async () => {
    const fake = await givenServer((_, response) => sendManifest(response, image.manifest));

    expect(await failureOf(fake, { plainHttp: false })).toMatchObject({
      failure: 'not-reachable',
      hint: 'it seems to speak plain http; allow that for it, if that is meant',
    });
    const asked: string[] = [];
    const options: FingerprintImageOptions = {
      fetch: async (input, init) => {
        asked.push(String(input));
        return fetch(String(input).replace(/^https?:\/\/[^/]+/, `http://${fake.host}`), init);
      },
    };
    await fingerprintImage('registry.example.com/acme/web:1', options);
    await fingerprintImage('registry.example.com/acme/web:1', { ...options, plainHttp: true });
    await fingerprintImage('alpine', options);
    expect(asked).toEqual([
      'https://registry.example.com/v2/acme/web/manifests/1',
      'http://registry.example.com/v2/acme/web/manifests/1',
      'https://registry-1.docker.io/v2/library/alpine/manifests/latest',
    ]);
  });

  it('never answers times out, or is aborted', async () => {
    const fake = await givenServer(() => undefined);
    const halting = await givenServer((_, response) => response.write('{'));

    for (const unresponsive of [fake, halting]) {
      expect(await failureOf(unresponsive, { timeoutMs: 50 })).toMatchObject({
        failure: 'not-reachable',
        message: `The registry at ${unresponsive.host} cannot be reached: it took too long to answer`,
      });
      const reason = new Error('interrupted');
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 50);
      expect(await failureOf(unresponsive, { signal: controller.signal })).toBe(reason);
    }
  });

  it('closes the connection cannot be reached', async () => {
    const fake = await givenServer((_, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('{');
      setTimeout(() => response.destroy(), 20);
    });

    expect(await failureOf(fake)).toMatchObject({ failure: 'not-reachable' });
  });
});
