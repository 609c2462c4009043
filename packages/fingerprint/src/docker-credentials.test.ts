import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { dockerCredentials } from './docker-credentials.ts';
import { givenTree, removeTrees } from './given-tree.ts';

const path = process.env['PATH'] ?? '';
afterEach(() => {
  process.env['PATH'] = path;
  removeTrees();
});

function givenConfig(config: object | string): string {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return join(givenTree({ 'config.json': text }), 'config.json');
}

/** Puts a program on the path that answers for the registry on its standard input. */
function givenHelper(name: string, script: string): void {
  const root = givenTree({ [`docker-credential-${name}`]: `#!/bin/sh\nread -r server\n${script}\n` });
  chmodSync(join(root, `docker-credential-${name}`), 0o755);
  process.env['PATH'] = root + delimiter + path;
}

const encoded = (text: string) => ({ auth: Buffer.from(text).toString('base64') });

describe('the file of docker login', () => {
  const config = {
    auths: {
      'https://index.docker.io/v1/': encoded('hub:a:b'),
      'ghcr.io': encoded('me:secret'),
      'https://registry.example.com/v2/': { username: 'you', password: 'hidden' },
      'token.example.com': { ...encoded('x:'), identitytoken: 'refresh' },
      'empty.example.com': {},
    },
  };

  it.each([
    ['docker.io', { username: 'hub', password: 'a:b' }],
    ['ghcr.io', { username: 'me', password: 'secret' }],
    ['registry.example.com', { username: 'you', password: 'hidden' }],
    ['token.example.com', { username: '<token>', password: 'refresh' }],
    ['empty.example.com', undefined],
    ['ghcr.io.example.com', undefined],
    ['ghcr.io:5000', undefined],
  ])('has for %s: %j', async (registry, expected) => {
    expect(await dockerCredentials(givenConfig(config))(registry)).toEqual(expected);
  });

  it('is optional', async () => {
    expect(await dockerCredentials(join(givenTree({}), 'config.json'))('ghcr.io')).toBeUndefined();
    expect(await dockerCredentials(givenConfig('[]'))('ghcr.io')).toBeUndefined();
  });

  it('is refused without quoting its content', async () => {
    const broken = givenConfig('{"auths": {"ghcr.io": {"auth": hunter2');
    await expect(dockerCredentials(broken)('ghcr.io')).rejects.toThrow(
      new Error(`${broken} is not JSON; "docker login" writes it again`),
    );
    const odd = givenConfig({ auths: { 'ghcr.io': encoded('hunter2') } });
    await expect(dockerCredentials(odd)('ghcr.io')).rejects.toThrow(
      new Error(`${odd} has for ghcr.io an "auth" that is not a user name and a password; log in again`),
    );
  });
});

describe('a credential helper', () => {
  const answer = `printf '{"ServerURL":"%s","Username":"of %s","Secret":"s"}' "$server" "$server"`;

  it('is asked for its registry, and the store for all others', async () => {
    givenHelper('one', answer);
    const credHelpers = dockerCredentials(givenConfig({ credHelpers: { 'ghcr.io': 'one' }, auths: {} }));
    const credsStore = dockerCredentials(givenConfig({ credsStore: 'one' }));

    expect(await credHelpers('ghcr.io')).toEqual({ username: 'of ghcr.io', password: 's' });
    expect(await credHelpers('quay.io')).toBeUndefined();
    expect(await credsStore('quay.io')).toEqual({ username: 'of quay.io', password: 's' });
    expect(await credsStore('docker.io')).toEqual({ username: 'of https://index.docker.io/v1/', password: 's' });
  });

  it('without an answer leaves it to the file', async () => {
    givenHelper('none', 'echo "credentials not found in native keychain"; exit 1');
    const config = givenConfig({ credsStore: 'none', auths: { 'ghcr.io': encoded('me:secret') } });

    expect(await dockerCredentials(config)('ghcr.io')).toEqual({ username: 'me', password: 'secret' });
    expect(await dockerCredentials(config)('quay.io')).toBeUndefined();
  });

  it.each([
    ['fails', 'echo hunter2; exit 3', 'failed when asked for ghcr.io (3)'],
    ['says something else', 'echo hunter2', 'did not answer with credentials for ghcr.io'],
    ['says too much', 'yes hunter2', 'failed when asked for ghcr.io (ERR_CHILD_PROCESS_STDIO_MAXBUFFER)'],
  ])('that %s is named, and not quoted', async (_, script, why) => {
    givenHelper('bad', script);
    const config = givenConfig({ credsStore: 'bad' });
    const failure = await dockerCredentials(config)('ghcr.io').catch((error: unknown) => error);

    expect(failure).toEqual(new Error(`docker-credential-bad, which ${config} names, ${why}`));
    expect(failure).not.toHaveProperty('cause');
  });

  it('that is not installed, or whose name is a path, is refused', async () => {
    const absent = givenConfig({ credsStore: 'nobody' });
    await expect(dockerCredentials(absent)('ghcr.io')).rejects.toThrow(
      `${absent} names docker-credential-nobody, which is not installed`,
    );
    const path = givenConfig({ credsStore: 'x/../../evil' });
    await expect(dockerCredentials(path)('ghcr.io')).rejects.toThrow('names a credential helper that is none');
  });
});
