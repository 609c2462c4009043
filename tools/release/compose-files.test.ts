import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pinOurs } from './compose-files.ts';
import { pinEngines, withHost } from './pin-engines.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIGEST = `sha256:${'7'.repeat(64)}`;
const COMPOSE = `services:
  postgres:
    image: postgres:15
  api:
    image: ghcr.io/waymark/waymark:0.1.0-rc.1
  other:
    image: ghcr.io/waymark/other:1.0.0
`;

it('pins our images to what was built, and nothing twice', () => {
  const pinned = pinOurs(COMPOSE, { waymark: DIGEST });
  expect(pinned).toBe(COMPOSE.replace('waymark:0.1.0-rc.1', `waymark:0.1.0-rc.1@${DIGEST}`));
  expect(pinOurs(pinned, { waymark: DIGEST })).toBe(pinned);
});

it('pins every image of the compose files of this repository', () => {
  for (const name of globSync('compose*.yaml', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, name), 'utf8');
    const pinned = pinOurs(
      pinEngines(text, () => DIGEST),
      { waymark: DIGEST },
    );
    const images = pinned.match(/^ *image: .+$/gm) ?? [];
    expect(images.length, name).toBeGreaterThan(0);
    expect(images.filter((line) => !line.includes(`@${DIGEST}`))).toEqual([]);
  }
});

it('pins images of others to what their registry has', () => {
  const asked: string[] = [];
  const pinned = pinEngines(COMPOSE, (image) => {
    asked.push(withHost(image));
    return DIGEST;
  });
  expect(asked).toEqual(['docker.io/library/postgres:15']);
  expect(pinned).toBe(COMPOSE.replace('postgres:15', `postgres:15@${DIGEST}`));
  expect(withHost('versity/versitygw:v1')).toBe('docker.io/versity/versitygw:v1');
  expect(withHost('quay.io/a/b:1')).toBe('quay.io/a/b:1');
});
