import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintImage } from './fingerprint-image.ts';
import { DOCKER, type GivenIndex, givenImage, givenIndex, OCI } from './given-image.ts';
import { givenRegistry, type Push, pushImage, pushManifest, type RegistryProcess } from './given-registry.ts';
import type { ImageIdentity } from './image-identity.ts';

const repository = 'acme/web';

function expected({ index, arm64, amd64 }: GivenIndex): ImageIdentity {
  return {
    digest: index.digest,
    kind: 'index',
    mediaType: index.mediaType,
    configDigest: null,
    platforms: [
      { platform: 'linux/arm64/v8', digest: arm64.manifest.digest, configDigest: arm64.config.digest },
      { platform: 'linux/amd64', digest: amd64.manifest.digest, configDigest: amd64.config.digest },
    ],
  };
}

async function pushIndex(to: Push, { index, arm64, amd64, provenance }: GivenIndex, tag: string): Promise<void> {
  for (const image of [arm64, amd64, provenance]) await pushImage(to, image);
  await pushManifest(to, index, tag);
}

describe('a registry', { timeout: 600_000 }, () => {
  let registry: RegistryProcess;
  beforeAll(async () => {
    registry = await givenRegistry();
  });
  afterAll(async () => registry.stop());

  it.each([
    ['OCI', OCI],
    ['Docker', DOCKER],
  ])('returns an index of %s types with two platforms, by tag and by digest', async (name, types) => {
    const image = givenIndex(types);
    await pushIndex({ host: registry.host, repository }, image, name);
    const place = `${registry.host}/${repository}`;

    expect(await fingerprintImage(`oci://${place}:${name}`)).toEqual(expected(image));
    expect(await fingerprintImage(`${place}@sha256:${image.index.digest}`)).toEqual(expected(image));
    expect(await fingerprintImage(`${place}:elsewhere@sha256:${image.index.digest}`)).toEqual(expected(image));
  });

  it.each([
    ['OCI', OCI],
    ['Docker', DOCKER],
  ])('returns a single manifest of %s type, with the tag latest by default', async (name, types) => {
    const image = givenImage('riscv64', types);
    const single = { host: registry.host, repository: `acme/single-${name.toLowerCase()}` };
    await pushImage(single, image, 'latest');

    expect(await fingerprintImage(`docker://${single.host}/${single.repository}`)).toEqual({
      digest: image.manifest.digest,
      kind: 'manifest',
      mediaType: types.manifest,
      configDigest: image.config.digest,
      platforms: [],
    });
  });

  it('has another digest under the tag after another push', async () => {
    const to = { host: registry.host, repository: 'acme/moving' };
    const [one, other] = [givenImage('arm64'), givenImage('amd64')];
    await pushImage(to, one, '1');
    const before = await fingerprintImage(`${to.host}/${to.repository}:1`);
    await pushImage(to, other, '1');

    expect(before.digest).toBe(one.manifest.digest);
    expect((await fingerprintImage(`${to.host}/${to.repository}:1`)).digest).toBe(other.manifest.digest);
  });

  it('names what is missing', async () => {
    const absent = `sha256:${'0'.repeat(64)}`;
    await pushImage({ host: registry.host, repository }, givenImage('s390x'), 'there');

    for (const name of ['nobody/nothing:1', `${repository}:gone`, `${repository}@${absent}`]) {
      await expect(fingerprintImage(`${registry.host}/${name}`)).rejects.toMatchObject({
        name: 'RegistryError',
        failure: 'not-found',
        status: 404,
        message: `There is no image ${registry.host}/${name} (MANIFEST_UNKNOWN)`,
        asked: `GET http://${registry.host}/v2/${name.replace(/[:@]/, '/manifests/')}`,
        hint: 'check its name and tag, and that it was pushed',
      });
    }
  });
});

describe('a registry with users', { timeout: 600_000 }, () => {
  const user = { username: 'ci', password: 'open sesame' };
  let registry: RegistryProcess;
  beforeAll(async () => {
    registry = await givenRegistry('ci:$2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy\n');
  });
  afterAll(async () => registry.stop());

  it('receives credentials when it requires them', async () => {
    const image = givenIndex();
    const authorization = `Basic ${Buffer.from('ci:open sesame').toString('base64')}`;
    await pushIndex({ host: registry.host, repository, authorization }, image, '1');
    const asked: string[] = [];
    const credentials = async (name: string) => {
      asked.push(name);
      return user;
    };

    expect(await fingerprintImage(`${registry.host}/${repository}:1`, { credentials })).toEqual(expected(image));
    expect(asked).toEqual([registry.host]);
  });

  it('refuses missing and wrong credentials', async () => {
    const reference = `${registry.host}/${repository}:1`;

    await expect(fingerprintImage(reference)).rejects.toMatchObject({
      failure: 'needs-credentials',
      status: 401,
      message: `The registry ${registry.host} requires a user name and a password, and none are configured for it`,
    });
    const credentials = async () => ({ ...user, password: 'open barley' });
    const failure = await fingerprintImage(reference, { credentials }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      failure: 'needs-credentials',
      status: 401,
      message: `The registry ${registry.host} does not let you read ${reference} (UNAUTHORIZED)`,
    });
    expect(JSON.stringify(failure)).not.toContain('barley');
  });
});
