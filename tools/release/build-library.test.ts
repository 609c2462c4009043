import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildLibrary } from './build-library.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const user = await mkdtemp(join(tmpdir(), 'waymark-library-'));
const out = join(user, 'packed');

const json = async (path: string) => JSON.parse(await readFile(join(out, path), 'utf8')) as Record<string, unknown>;

/** A user's folder after an installation. */
beforeAll(async () => {
  await buildLibrary(out);
  await mkdir(join(user, 'node_modules/@waymark'), { recursive: true });
  for (const name of ['contract', 'client', 'transparency', 'time-stamps'])
    await symlink(join(out, name), join(user, 'node_modules/@waymark', name));
  await symlink(join(ROOT, 'packages/client/node_modules/zod'), join(user, 'node_modules/zod'));
  await symlink(join(ROOT, 'packages/transparency/node_modules/@noble'), join(user, 'node_modules/@noble'));
  await writeFile(join(user, 'package.json'), JSON.stringify({ type: 'module' }));
}, 600_000);
afterAll(() => rm(user, { recursive: true }));

const PROGRAM = `
import { ApiError, createClient } from '@waymark/client';
import { getFlow, listFlows } from '@waymark/contract';

const client = createClient({ baseUrl: process.argv[2], apiKey: 'k' });
const params = { org: 'acme' };
for await (const flow of client.items(listFlows, { params })) console.log(flow.name);
await client.call(getFlow, { params: { ...params, flow_name: 'x' } }).catch((error) => {
  console.log(error instanceof ApiError, error.status, error.message);
});
`;

/** What an auditor does who has a checkpoint on paper, with the known example of a signed note. */
const VERIFIER = `
import { parseNote, parseVerifierKey, verifyNote } from '@waymark/transparency';

const TEXT = 'If you think cryptography is the answer to your problem,\\nthen you don\\'t know what your problem is.\\n';
const SIGNATURE =
  '\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=';
const key = parseVerifierKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
for (const text of [TEXT, TEXT.toUpperCase()]) {
  const { verified, failed } = await verifyNote(parseNote(text + '\\n' + SIGNATURE + '\\n'), [key]);
  console.log(verified.length, failed.length);
}
`;

const TYPED = `
import { ApiError, type CallInput, type Client, createClient } from '@waymark/client';
import { type Flow, getFlow, listFlows, putFlow } from '@waymark/contract';

const client: Client = createClient({ baseUrl: '/api/v2' });
const input: CallInput<typeof getFlow> = { params: { org: 'acme', flow_name: 'x' } };
const flow: Flow = await client.call(getFlow, input);
for await (const { name } of client.items(listFlows, { params: { org: 'acme' } })) name satisfies string;
// @ts-expect-error an operation has its own parameters
await client.call(getFlow, { params: { org: 'acme' } });
// @ts-expect-error and its own body
await client.call(putFlow, { params: { org: 'acme' }, body: { name: 7 } });
// @ts-expect-error only some operations send a file
await client.download(getFlow, input);
export const told: [string, number] = [flow.name, new ApiError(404, 'no', null, null).status];
`;

describe('the packages', () => {
  it('say what they are and what they need', async () => {
    const workspace = await readFile(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');
    const zod = /^ {2}zod: (\S+)$/m.exec(workspace)?.[1];
    const shared = {
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: false,
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      files: ['dist'],
      engines: { node: expect.any(String) },
    };
    const { version } = await json('client/package.json');
    expect(await json('contract/package.json')).toMatchObject({
      ...{ ...shared, name: '@waymark/contract', version },
      dependencies: { zod: `^${zod}` },
    });
    expect(await json('client/package.json')).toMatchObject({
      ...{ ...shared, name: '@waymark/client' },
      dependencies: { '@waymark/contract': version, zod: `^${zod}` },
    });
    expect(await json('transparency/package.json')).toMatchObject({
      ...{ ...shared, name: '@waymark/transparency', version },
      dependencies: { '@noble/hashes': expect.stringMatching(/^\^2\./) },
    });
    expect(await json('time-stamps/package.json')).toMatchObject({
      ...{ ...shared, name: '@waymark/time-stamps', version },
      dependencies: {},
    });
  });

  it('hold code, types and the licence, and no tests', async () => {
    expect(await readdir(out)).toEqual(['client', 'contract', 'time-stamps', 'transparency']);
    expect(await readdir(join(out, 'client'))).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const folders = ['client', 'contract', 'time-stamps', 'transparency'].map((name) => join(out, name, 'dist'));
    const files = (await Promise.all(folders.map((folder) => readdir(folder, { recursive: true })))).flat();
    const isFolder = (name: string) => files.some((file) => file.startsWith(`${name}/`));
    expect(files.filter((name) => !isFolder(name) && !/^[a-z0-9/-]+(\.d\.ts|\.js)$/.test(name))).toEqual([]);
    const index = await readFile(join(out, 'client/dist/index.d.ts'), 'utf8');
    expect(index).toContain("from './client.js'");
    for (const folder of folders) {
      for (const name of await readdir(folder, { recursive: true })) {
        if (name.endsWith('.d.ts')) expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/\.ts['"]/);
      }
    }
  });

  it('work for a program in JavaScript', { timeout: 600_000 }, async () => {
    const server = createServer((request, response) => {
      const isList = request.url === '/api/v2/flows/acme';
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isList ? [FLOW] : { message: 'not there' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await writeFile(join(user, 'program.js'), PROGRAM);
    const { port } = server.address() as AddressInfo;
    const { stdout } = await run(process.execPath, [join(user, 'program.js'), `http://127.0.0.1:${port}/api/v2`]);
    expect(stdout).toBe('web\ntrue 404 not there\n');
    server.close();
    await writeFile(join(user, 'verifier.js'), VERIFIER);
    expect((await run(process.execPath, [join(user, 'verifier.js')])).stdout).toBe('1 0\n0 1\n');
  });

  it('have types, for browsers as well, and so have the examples of the documentation', {
    timeout: 600_000,
  }, async () => {
    await writeFile(join(user, 'typed.ts'), TYPED);
    await writeFile(join(user, 'given.d.ts'), "declare const client: import('@waymark/client').Client;\n");
    const names = ['docs/client.md', 'packages/transparency/README.md', 'packages/time-stamps/README.md'];
    const pages = names.map((name) => readFile(join(ROOT, name), 'utf8'));
    const page = (await Promise.all(pages)).join('\n');
    const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    expect(examples.length).toBeGreaterThan(5);
    for (const [i, code] of examples.entries()) await writeFile(join(user, `example-${i + 1}.ts`), code);
    // A wrong one, to prove that errors are detected.
    await writeFile(join(user, 'wrong.ts'), "await client.call({ id: 'x' }, {});\nexport {};\n");
    expect(await typeErrors()).toEqual([expect.stringMatching(/^wrong\.ts\(1,\d+\): error TS/)]);
  });
});

describe('in a browser', () => {
  it('the client needs nothing of Node, and only the contracts in use', { timeout: 600_000 }, async () => {
    await writeFile(
      join(user, 'page.js'),
      "import { createClient } from '@waymark/client';\nimport { getFlow } from '@waymark/contract';\n" +
        "export const flow = createClient({ baseUrl: '/api/v2' }).call(getFlow, { params: { org: 'a', flow_name: 'b' } });\n",
    );
    const all = await bundle([]);
    const own = await bundle(['zod']);
    expect(all).not.toMatch(/["']node:|\brequire\(|process\.|Buffer\b/);
    expect(own).toContain('/flows/:org/:flow_name');
    expect(own).not.toContain('/attestations/');
    const size = (code: string) => `${(gzipSync(code).length / 1024).toFixed(1)} KiB`;
    console.log(`the client in a browser: ${size(own)} with gzip, ${size(all)} together with zod`);
    expect(gzipSync(own).length).toBeLessThan(12 * 1024);
  });

  it('the verifier of time stamps needs nothing of Node, and is small', { timeout: 600_000 }, async () => {
    await writeFile(join(user, 'page.js'), "export * from '@waymark/time-stamps';\n");
    const all = await bundle([]);
    expect(all).not.toMatch(/["'`]node:|\brequire\(|\bprocess\.|\bBuffer\b/);
    expect(gzipSync(all).length).toBeLessThan(8 * 1024);
  });

  it('the verifier needs nothing of Node, and is small', { timeout: 600_000 }, async () => {
    await writeFile(join(user, 'page.js'), "export * from '@waymark/transparency';\n");
    const all = await bundle([]);
    expect(all).not.toMatch(/["'`]node:|\brequire\(|\bprocess\.|\bBuffer\b/);
    expect(gzipSync(all).length).toBeLessThan(16 * 1024);
    await writeFile(
      join(user, 'page.js'),
      "import { verifyProof } from '@waymark/transparency';\nexport { verifyProof };\n",
    );
    const size = gzipSync(await bundle([])).length;
    console.log(`the verifier in a browser: ${size} bytes with gzip, ${gzipSync(all).length} with all of the package`);
    expect(size).toBeLessThan(gzipSync(all).length);
  });
});

const FLOW = {
  id: '1',
  org: 'acme',
  name: 'web',
  description: '',
  visibility: 'private',
  template: '',
  repo_url: '',
  tags: {},
  created_at: 1,
  created_by: 'a',
  last_modified_at: 1,
  latest_activity_at: 1,
  last_deployment_at: null,
  auto_created: false,
  html_url: '',
};

async function typeErrors(): Promise<string[]> {
  const compilerOptions = {
    ...{ target: 'esnext', module: 'nodenext', lib: ['esnext', 'dom', 'dom.asynciterable'], types: [] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
    skipLibCheck: false,
  };
  await writeFile(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const result = await run(process.execPath, [tsc, '--project', user], { cwd: user }).catch(
    (error: { stdout: string }) => error,
  );
  return result.stdout.split('\n').filter((line) => / error TS/.test(line));
}

async function bundle(external: string[]): Promise<string> {
  const built = await rolldown({ input: join(user, 'page.js'), platform: 'browser', external });
  const { output } = await built.generate({ format: 'es', minify: true });
  return output[0].code;
}
