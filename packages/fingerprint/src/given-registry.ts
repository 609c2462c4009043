import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Blob, GivenImage } from './given-image.ts';

export interface RegistryProcess {
  /** Host and port, as they stand in a reference. */
  readonly host: string;
  readonly stop: () => Promise<void>;
}

export interface Push {
  readonly host: string;
  readonly repository: string;
  readonly authorization?: string;
}

/** Starts `docker-registry`, the Debian package of that name, on a free local port, with a directory of its own. */
export async function givenRegistry(htpasswd?: string): Promise<RegistryProcess> {
  const root = mkdtempSync(join(tmpdir(), 'registry-'));
  const config = join(root, 'config.json');
  const users = join(root, 'htpasswd');
  if (htpasswd !== undefined) writeFileSync(users, htpasswd);
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      version: 0.1,
      log: { level: 'info', formatter: 'json', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(root, 'data') } },
      http: { addr: '127.0.0.1:0' },
      ...(htpasswd !== undefined && { auth: { htpasswd: { realm: 'tests', path: users } } }),
    }),
  );
  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit').catch(() => undefined);
  const host = await hostOf(child);
  const stop = async () => {
    child.kill();
    await exited;
    rmSync(root, { recursive: true });
  };
  return { host, stop };
}

async function hostOf(child: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  const lines: string[] = [];
  const failure = once(child, 'error').then(([error]) => {
    throw new Error('docker-registry cannot be started; install the package docker-registry', { cause: error });
  });
  const found = (async () => {
    for await (const line of createInterface({ input: child.stderr })) {
      const [, host] = /listening on ([0-9.]+:[0-9]+)/.exec(line) ?? [];
      if (host !== undefined) return host;
      lines.push(line);
    }
    throw new Error(`docker-registry ended: ${lines.join('\n')}`);
  })();
  const host = await Promise.race([failure, found]);
  // Further output is discarded, so that it does not fill the pipe.
  child.stderr.resume();
  return host;
}

export async function pushImage(to: Push, { manifest, config, layer }: GivenImage, tag?: string): Promise<void> {
  for (const part of [config, layer]) await pushBlob(to, part);
  await pushManifest(to, manifest, tag);
}

export async function pushManifest(to: Push, manifest: Blob, tag = `sha256:${manifest.digest}`): Promise<void> {
  const url = `http://${to.host}/v2/${to.repository}/manifests/${tag}`;
  await send(to, url, 'PUT', manifest.bytes, manifest.mediaType);
}

async function pushBlob(to: Push, { bytes, digest }: Blob): Promise<void> {
  const begun = await send(to, `http://${to.host}/v2/${to.repository}/blobs/uploads/`, 'POST');
  const place = new URL(begun.headers.get('location') ?? '', `http://${to.host}`);
  place.searchParams.set('digest', `sha256:${digest}`);
  await send(to, place.href, 'PUT', bytes, 'application/octet-stream');
}

async function send(to: Push, url: string, method: string, body?: Buffer, type?: string): Promise<Response> {
  const headers = {
    ...(type !== undefined && { 'content-type': type }),
    ...(to.authorization !== undefined && { authorization: to.authorization }),
  };
  const response = await fetch(url, { method, headers, ...(body && { body: new Uint8Array(body) }) });
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return response;
}
