import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { ENGINE_VERSION } from '@waymark/compliance';
import {
  beginTrail,
  getArtifactPackage,
  getAttestationPackage,
  getTrailPackage,
  recordApproval,
} from '@waymark/contract';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  artifact,
  attest,
  attestationIdOf,
  commit,
  fingerprint,
  givenArtifact,
  givenFlow,
  givenTrail,
  sendForm,
} from '../../../../test/given/evidence.ts';
import { startApi } from '../../../../test/harness.ts';
import { verified } from '../../../platform/blobs/verified.ts';

const api = await startApi();
const folders: string[] = [];
const run = promisify(execFile);
let flow = '';
let count = 0;

beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow);
  await givenTrail(api, flow, 't');
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

function download(path: string, key = api.org.keys.reader) {
  return api.app.http.inject({ url: `/api/v2${path}`, headers: { authorization: `Bearer ${key}` } });
}

const trailPackage = (trail = 't') => download(`/trails/acme/${flow}/${trail}/audit_package`);

/** Unpacks with the system's own tar, as an auditor would. */
async function unpack(tgz: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-package-'));
  folders.push(folder);
  const file = join(folder, 'package.tgz');
  await writeFile(file, tgz);
  await run('tar', ['-xzf', file, '-C', folder]);
  await rm(file);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  return {
    folder,
    files,
    text: (path: string) => readFile(join(folder, path), 'utf8'),
    json: async (path: string) => JSON.parse(await readFile(join(folder, path), 'utf8')) as Record<string, unknown>,
  };
}

async function unpacked(answer: Awaited<ReturnType<typeof download>>) {
  expect(answer.statusCode).toBe(200);
  return unpack(answer.rawPayload);
}

/** The exit status of `sha256sum --check` on a package. */
async function sumsStatus(folder: string): Promise<number> {
  try {
    await run('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: folder });
    return 0;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

async function attach(name: string, content: string | Uint8Array, file = `${name}.txt`, more: object = {}) {
  const answer = await sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/t/generic`,
    { data_json: { attestation_name: name, is_compliant: true, ...more } },
    { part: 'attachment_file', name: file, content },
  );
  expect(answer).toMatchObject({ status: 201 });
  return attestationIdOf(answer);
}

async function attested(name: string, more: object = {}) {
  const answer = await attest(api, flow, 't', { attestation_name: name, is_compliant: true, ...more });
  expect(answer.status).toBe(201);
  return attestationIdOf(answer);
}

describe('the package of a trail', () => {
  it('is complete, and sha256sum alone verifies it', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    const ticket = await attached();
    const plain = await attested('plain', { is_compliant: false });
    const answer = await trailPackage();
    expect(answer.headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="trail-${flow}-t.tgz"`,
    });
    const { folder, files, json, text } = await unpacked(answer);
    const artifacts = files.filter((file) => file.startsWith('records/artifacts/'));
    expect(artifacts).toHaveLength(1);
    expect(files).toEqual(
      [
        'README.md',
        'SHA256SUMS',
        `attachments/${sha256('first')}/notes.txt`,
        'index.html',
        'manifest.json',
        ...artifacts,
        `records/attestations/${plain}.json`,
        `records/attestations/${ticket}.json`,
        'records/events/0001.json',
        'records/explanation.json',
        'records/template.json',
        'records/trail.json',
      ].sort(),
    );
    expect(await sumsStatus(folder)).toBe(0);
    const sums = (await text('SHA256SUMS')).trimEnd().split('\n');
    expect(sums.map((line) => line.slice(66)).sort()).toEqual(files.filter((file) => file !== 'SHA256SUMS'));

    const manifest = await json('manifest.json');
    expect(manifest).toMatchObject({
      schema_version: 2,
      subject: { org: 'acme', kind: 'trail', flow_name: flow, name: 't' },
      exported_at: api.clock.now.getTime() / 1000,
      exported_by: { kind: 'service_account', name: 'reader' },
      exported_from: 'http://waymark.test',
      judged_by: { compliance: ENGINE_VERSION },
      ledger: { log: null, entry_count: 0, because: 'this installation does not sign checkpoints' },
    });
    const listed = manifest['files'] as { path: string; sha256: string; size: number }[];
    expect(listed.map(({ path }) => path).sort()).toEqual(
      files.filter((file) => file !== 'SHA256SUMS' && file !== 'manifest.json'),
    );
    for (const { path, sha256: digest, size } of listed) {
      expect([path, digest, size]).toEqual([
        path,
        sha256(await readFile(join(folder, path))),
        (await stat(join(folder, path))).size,
      ]);
    }

    expect(await json('records/trail.json')).toMatchObject({ name: 't', flow_name: flow, is_compliant: false });
    expect(await json('records/explanation.json')).toMatchObject({ id: 'trail', status: 'NON-COMPLIANT' });
    expect(await json('records/template.json')).toMatchObject({ trail: { attestations: [{ name: 'ticket' }] } });
    expect(await json(artifacts[0] ?? '')).toMatchObject({
      fingerprint: fingerprint('a'),
      compliance_status: { status: 'NON-COMPLIANT' },
    });
    expect(await json(`records/attestations/${ticket}.json`)).toMatchObject({
      attestation_name: 'notes',
      attachment: `attachments/${sha256('first')}/notes.txt`,
      sent: { attestation_name: 'notes', is_compliant: true },
    });
    const events = (await json('records/events/0001.json')) as unknown as { type: string }[];
    expect(events.map(({ type }) => type)).toEqual([
      'trail_attestation_reported',
      'trail_attestation_reported',
      'artifact_creation_reported',
      'trail_reported',
    ]);
    const page = await text('index.html');
    for (const link of [`attachments/${sha256('first')}/notes.txt`, `records/attestations/${plain}.json`]) {
      expect(page).toContain(`href="${link}"`);
    }
    expect(page).toContain('✗ NON-COMPLIANT');
    const linked = [...page.matchAll(/href="([^"]*)"/g)].map(([, path = '']) => path);
    expect(linked.filter((path) => !files.includes(path))).toEqual([]);
    expect(await text('README.md')).toContain('sha256sum -c SHA256SUMS');
  });

  const attached = () => attach('notes', 'first');

  it('has the approvals of its artifacts', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't' });
    const body = { artifact_fingerprint: fingerprint('a'), src_commit_list: [commit('a')], description: 'go' };
    expect((await api.call(recordApproval, { params: { flow_name: flow }, body })).status).toBe(201);
    const { json, text, folder } = await unpacked(await trailPackage());
    expect(await json('records/approvals/1.json')).toMatchObject({
      approval_number: 1,
      artifact_fingerprint: fingerprint('a'),
      sent: { src_commit_list: [commit('a')] },
    });
    expect(await text('index.html')).toContain('href="records/approvals/1.json"');
    expect(await sumsStatus(folder)).toBe(0);
  });

  it.each(['records/trail.json', 'index.html', 'manifest.json', 'README.md'])(
    'does not check out when one byte of %s is flipped',
    async (path) => {
      const { folder } = await unpacked(await trailPackage());
      const bytes = await readFile(join(folder, path));
      bytes[10] = (bytes[10] ?? 0) ^ 1;
      await writeFile(join(folder, path), bytes);
      expect(await sumsStatus(folder)).toBe(1);
    },
  );

  it('does not check out when an attachment is changed or taken away', async () => {
    await attached();
    const { folder } = await unpacked(await trailPackage());
    const path = join(folder, `attachments/${sha256('first')}/notes.txt`);
    await writeFile(path, 'First');
    expect(await sumsStatus(folder)).toBe(1);
    await writeFile(path, 'first');
    expect(await sumsStatus(folder)).toBe(0);
    await rm(path);
    expect(await sumsStatus(folder)).toBe(1);
  });

  it('has the same headers and order each time', async () => {
    await attached();
    const [one, two] = [await trailPackage(), await trailPackage()];
    expect(one.rawPayload.equals(two.rawPayload)).toBe(true);
    const folder = await mkdtemp(join(tmpdir(), 'waymark-package-'));
    folders.push(folder);
    await writeFile(join(folder, 'p.tgz'), one.rawPayload);
    const { stdout } = await run('tar', ['-tvzf', join(folder, 'p.tgz'), '--numeric-owner', '--full-time', '--utc']);
    const at = api.clock.now.toISOString().slice(0, 19).replace('T', ' ');
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(new RegExp(`^-rw-r--r-- 0/0 +\\d+ ${at} `));
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/ SHA256SUMS$/);
  });

  it('lists every attachment, and one that was sent twice once', async () => {
    for (let i = 0; i < 30; i++) await attach(`file-${i}`, `content ${i % 20}`, `report-${i}.txt`);
    const { files, folder } = await unpacked(await trailPackage());
    const attachments = files.filter((file) => file.startsWith('attachments/'));
    expect(attachments.map((file) => file.split('/')[1]).sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => sha256(`content ${i}`)).sort(),
    );
    expect(files.filter((file) => file.startsWith('records/attestations/'))).toHaveLength(30);
    expect(await sumsStatus(folder)).toBe(0);
  });

  it('streams a large attachment as it is', async () => {
    const content = randomBytes(10 * 1024 * 1024);
    await attach('large', content, 'large.bin');
    const { folder } = await unpacked(await trailPackage());
    expect(sha256(await readFile(join(folder, `attachments/${sha256(content)}/large.bin`)))).toBe(sha256(content));
    expect(await sumsStatus(folder)).toBe(0);
  });

  it.each(['report.html', 'picture.svg', 'junit.xml'])('stores %s so that a browser does not run it', async (name) => {
    const content = '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>';
    await attach('active', content, name);
    const { files, text, json } = await unpacked(await trailPackage());
    const path = `attachments/${sha256(content)}/${name}.txt`;
    expect(files.filter((file) => file.startsWith('attachments/'))).toEqual([path]);
    expect(await text(path)).toBe(content);
    const [record = ''] = files.filter((file) => file.startsWith('records/attestations/'));
    expect(await json(record)).toMatchObject({ attachment: path });
    const page = await text('index.html');
    expect(page).toContain(`<a href="${path}"><bdi>${name}</bdi></a>`);
    expect(page).toContain(`stored as <code>${name}.txt</code>`);
    expect(await text('README.md')).toContain('have `.txt` appended to their names');
  });

  it('neutralizes hostile names', async () => {
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
    await api.call(beginTrail, { params: { flow_name: flow }, body: { name: 't', description: evil } });
    await givenArtifact(api, flow, 'b', { trail_name: 't', filename: evil, build_url: 'file:///etc/passwd' });
    await attach('notes', 'evil', `..${evil.replaceAll('/', '')}\u202e.txt`, { description: evil });
    const { files, text, folder } = await unpacked(await trailPackage());
    const ofArtifact = await unpacked(await download(`/artifacts/acme/${flow}/${fingerprint('b')}/audit_package`));
    for (const readme of [await text('README.md'), await ofArtifact.text('README.md')]) {
      expect(readme).not.toMatch(/[<>]/);
    }
    const page = await text('index.html');
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('"file:');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const tags = new Set([...page.matchAll(/<([a-z]+)/g)].map(([, tag]) => tag));
    expect(
      [...tags].filter((tag) => ['script', 'img', 'iframe', 'link', 'object', 'form'].includes(tag ?? '')),
    ).toEqual([]);
    expect(
      [...page.matchAll(/\s(href|src)="([^"]*)"/g)].filter(([, , to]) => /^[a-z]+:|^\/|\.\./.test(to ?? '')),
    ).toEqual([]);
    expect(page).toContain('<meta name="color-scheme" content="light dark">');
    expect(files.filter((file) => !/^[A-Za-z0-9._/-]+$/.test(file) || file.includes('..'))).toEqual([]);
    expect(await sumsStatus(folder)).toBe(0);
  });

  it('pages through many records, and shows the newest thousand', async () => {
    const id = await attested('first');
    await sql`
      insert into attestation (org_id, id, flow_id, trail_id, name, type, counts_as, is_compliant, trust, content, verdict,
        created_at, created_by)
      select org_id, gen_random_uuid(), flow_id, trail_id, 'many-' || i, type, counts_as, true, trust, content, verdict,
        created_at, created_by
      from attestation, generate_series(1, 1500) as i where org_id = ${api.org.id} and id = ${id}`.execute(api.db);
    const { files, folder, text, json } = await unpacked(await trailPackage());
    expect(files.filter((file) => file.startsWith('records/attestations/'))).toHaveLength(1501);
    expect(files.filter((file) => file.startsWith('records/events/'))).toHaveLength(2);
    expect((await json('records/events/0002.json')) as unknown as object[]).toHaveLength(502);
    expect(await text('index.html')).toContain(
      'The newest 1000 of 1501; all of them are in <code>records/attestations</code>.',
    );
    expect(await sumsStatus(folder)).toBe(0);
  });

  it('says so when an attachment is not in the store', async () => {
    await attach('notes', `lost ${flow}`);
    await api.app.blobs.remove(api.org.id, sha256(`lost ${flow}`));
    const answer = await trailPackage();
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      message: `The attachment 'notes.txt' (${sha256(`lost ${flow}`)}) cannot be read from the evidence store, so the export was canceled`,
    });
  });

  it('is cut off when an attachment goes missing while it is exported', async () => {
    await attach('notes', 'short');
    const { blobs } = api.app;
    Object.assign(api.app, { blobs: { ...blobs, open: async () => undefined } });
    try {
      expect(await endOf(`/trails/acme/${flow}/t/audit_package`)).toMatch(cutOffOr(503));
    } finally {
      Object.assign(api.app, { blobs });
    }
  });

  it('is cut off when an attachment turns out to be something else', async () => {
    const size = 1024 * 1024;
    await attach('notes', randomBytes(size));
    const { blobs } = api.app;
    const open = async (_: string, digest: string) => ({
      size,
      stream: verified(Readable.from([randomBytes(size / 2), randomBytes(size / 2)]), digest),
    });
    Object.assign(api.app, { blobs: { ...blobs, open } });
    try {
      expect(await endOf(`/trails/acme/${flow}/t/audit_package`)).toMatch(cutOffOr(500));
    } finally {
      Object.assign(api.app, { blobs });
    }
    expect(await fetchWhole(`/trails/acme/${flow}/t/audit_package`)).toMatchObject({ status: 200 });
  });

  it('releases everything when the reader disconnects', async () => {
    await attach('notes', randomBytes(8 * 1024 * 1024));
    const { blobs } = api.app;
    const closed: Promise<unknown>[] = [];
    const open = async (org: string, digest: string) => {
      const blob = await blobs.open(org, digest);
      if (blob) closed.push(once(blob.stream, 'close'));
      return blob;
    };
    Object.assign(api.app, { blobs: { ...blobs, open } });
    try {
      const leaving = new AbortController();
      const answer = await fetchFile(`/trails/acme/${flow}/t/audit_package`, leaving.signal);
      const first = await answer.body?.getReader().read();
      expect(first?.done).toBe(false);
      await expect.poll(() => closed.length).toBe(1);
      leaving.abort();
      await closed[0];
    } finally {
      Object.assign(api.app, { blobs });
    }
  });

  it('is refused to another org, and 404 for what is not there', async () => {
    const other = await api.givenOrg(`other-${count}`);
    const path = `/trails/acme/${flow}/t/audit_package`;
    expect((await download(path, other.keys.admin)).statusCode).toBe(403);
    expect((await api.call(getTrailPackage, { params: { flow_name: flow, trail_name: 'none' } })).body).toMatchObject({
      message: "Trail 'none' does not exist in this org",
    });
    expect((await api.call(getTrailPackage, { params: { flow_name: 'none', trail_name: 't' } })).status).toBe(404);
  });
});

let port = 0;
async function fetchFile(path: string, signal?: AbortSignal): Promise<Response> {
  if (port === 0) {
    await api.app.http.listen({ host: '127.0.0.1', port: 0 });
    port = (api.app.http.server.address() as AddressInfo).port;
  }
  const headers = { authorization: `Bearer ${api.org.keys.reader}` };
  return fetch(`http://127.0.0.1:${port}/api/v2${path}`, { headers, ...(signal && { signal }) });
}

async function fetchWhole(path: string) {
  const answer = await fetchFile(path);
  return { status: answer.status, content: await answer.arrayBuffer() };
}

/**
 * Never a complete file. The outcome depends on how far the reply was when the attachment failed: before its first
 * bytes the failure has a status; after them the connection ends, and fetch reports whether it had read the headers by
 * then.
 */
function cutOffOr(status: number): RegExp {
  return new RegExp(`^(TypeError: (fetch failed|terminated)|${status})$`);
}

function endOf(path: string): Promise<string> {
  return fetchWhole(path).then(({ status }) => String(status), String);
}

describe('the package of an artifact', () => {
  it('has what concerns the newest report of it, and nothing else', async () => {
    await givenArtifact(api, flow, 'c', { trail_name: 't', template_reference_name: 'backend' });
    await givenArtifact(api, flow, 'd', { trail_name: 't' });
    const about = { artifact_fingerprint: fingerprint('c') };
    const bound = await attach('unit', 'unit results', 'unit.txt', about);
    const named = await attested('scan', {
      target_artifacts: ['backend'],
      git_commit_info: { sha1: commit('c') },
    });
    const ofTrail = await attested('ticket');
    await attach('unit', 'other results', 'other.txt', { artifact_fingerprint: fingerprint('d') });
    await attested('scan', { target_artifacts: ['backend'], git_commit_info: { sha1: commit('e') } });

    const answer = await download(`/artifacts/acme/${flow}/${fingerprint('c').slice(0, 8)}/audit_package`);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="artifact-${flow}-cccccccccccc.tgz"`);
    const { files, folder, json, text } = await unpacked(answer);
    expect(files.filter((file) => file.startsWith('records/attestations/'))).toEqual(
      [bound, named, ofTrail].map((id) => `records/attestations/${id}.json`).sort(),
    );
    expect(files.filter((file) => file.startsWith('attachments/'))).toEqual([
      `attachments/${sha256('unit results')}/unit.txt`,
    ]);
    const [record = '', ...others] = files.filter((file) => file.startsWith('records/artifacts/'));
    expect(others).toEqual([]);
    expect(await json(record)).toMatchObject({ fingerprint: fingerprint('c'), template_reference_name: 'backend' });
    expect(await json('records/explanation.json')).toMatchObject({ kind: 'artifact', id: 'trail/artifact:backend' });
    expect(await json('records/trail.json')).not.toHaveProperty('compliance_status');
    expect(await json('manifest.json')).toMatchObject({
      subject: { kind: 'artifact', flow_name: flow, trail_name: 't', fingerprint: fingerprint('c') },
    });
    const page = await text('index.html');
    const linked = [...page.matchAll(/href="([^"]*)"/g)].map(([, path = '']) => path);
    expect(linked.filter((path) => !files.includes(path))).toEqual([]);
    expect(await sumsStatus(folder)).toBe(0);
  });

  it('is 404 for an artifact that was not reported, and refused to another org', async () => {
    const params = { flow_name: flow, fingerprint: artifact('f').fingerprint };
    expect((await api.call(getArtifactPackage, { params })).status).toBe(404);
    const other = await api.givenOrg(`other-${count}`);
    expect((await api.call(getArtifactPackage, { params, key: other.keys.admin })).status).toBe(403);
  });
});

describe('the package of an attestation', () => {
  it('has the attestation, its attachment and which trail it is in', async () => {
    const id = await attach('notes', 'evidence', 'notes.md');
    await attested('other');
    const answer = await download(`/attestations/acme/${flow}/trail/t/attestation/${id}/audit_package`);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="attestation-${id}.tgz"`);
    const { files, folder, json } = await unpacked(answer);
    expect(files).toEqual([
      'README.md',
      'SHA256SUMS',
      `attachments/${sha256('evidence')}/notes.md.txt`,
      'index.html',
      'manifest.json',
      `records/attestations/${id}.json`,
      'records/events/0001.json',
      'records/trail.json',
    ]);
    expect(await json('records/trail.json')).toMatchObject({ org: 'acme', flow_name: flow, name: 't' });
    expect(await json('manifest.json')).toMatchObject({ subject: { kind: 'attestation', attestation_id: id } });
    expect(await sumsStatus(folder)).toBe(0);
  });

  it('is 404 in another trail, and refused to another org', async () => {
    const id = await attested('notes');
    await givenTrail(api, flow, 'u');
    const params = { flow_name: flow, trail_name: 'u', attestation_id: id };
    expect((await api.call(getAttestationPackage, { params })).status).toBe(404);
    const other = await api.givenOrg(`other-${count}`);
    expect((await api.call(getAttestationPackage, { params, key: other.keys.admin })).status).toBe(403);
  });
});
