import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { attestCustom, attestGeneric, getFlow, postAttestationType, putFlow } from '@waymark/contract';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, givenArtifact, givenFlow, sendForm } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

/** Every request here must be refused with a reason, while others are served. */
const MEMORY_BYTES = 200 * 1024 * 1024;

const api = await startApi();
let port = 0;

beforeAll(async () => {
  await givenFlow(api, 'web', 'version: 1\n');
  await givenArtifact(api, 'web', 'a', { trail_name: 't' });
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.http.server.address() as AddressInfo).port;
});

interface Refusal {
  status: number;
  body: { message: string; errors?: Record<string, string> | null };
}

/** Sends a request while polling the health endpoint: no neighbor may wait for a hostile request. */
async function refused(send: () => Promise<{ status: number; body: unknown }>): Promise<Refusal> {
  const before = process.memoryUsage().rss;
  let done = false;
  let maxWork = 0;
  const neighbour = (async () => {
    while (!done) {
      // CPU time of the thread that serves both: wall time would include other work of the machine.
      const asked = process.threadCpuUsage();
      const answer = await fetch(`http://127.0.0.1:${port}/ready`);
      expect(answer.status).toBe(200);
      const { user, system } = process.threadCpuUsage(asked);
      maxWork = Math.max(maxWork, (user + system) / 1000);
    }
  })();
  const answer = await send();
  done = true;
  await neighbour;
  expect(maxWork, 'milliseconds of work while a neighbour waits').toBeLessThan(1_000);
  expect(process.memoryUsage().rss - before, 'memory').toBeLessThan(MEMORY_BYTES);
  expect((await api.call(getFlow, { params: { flow_name: 'web' } })).status).toBe(200);
  return answer as Refusal;
}

async function recordedSoFar(): Promise<number> {
  const rows = await api.db.selectFrom('attestation').select('id').where('org_id', '=', api.org.id).execute();
  return rows.length;
}

let before = 0;
beforeEach(async () => {
  before = await recordedSoFar();
});

const attach = (kind: string, json: object, name: string, content: string | Uint8Array) =>
  refused(() =>
    sendForm(
      api,
      'POST',
      `/attestations/acme/web/trail/t/${kind}`,
      { data_json: { attestation_name: 'x', ...json } },
      {
        part: 'attachment_file',
        name,
        content,
      },
    ),
  );

const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol">${Array.from(
  { length: 12 },
  (_, i) => `<!ENTITY ${String.fromCharCode(98 + i)} "${`&${String.fromCharCode(97 + i)};`.repeat(10)}">`,
).join('')}]><testsuite name="&m;"/>`;

const tgz = (name: string, content: Buffer) =>
  gzipSync(Buffer.concat([header(name, content.length), content, Buffer.alloc(512 - (content.length % 512) + 1024)]));

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

describe('what cannot be read safely is refused, with the reason', () => {
  it.each<[string, () => Promise<Refusal>, string]>([
    ['an entity bomb', () => attach('junit', {}, 'junit.xml', laughs), 'DOCTYPE'],
    [
      'an external entity',
      () =>
        attach(
          'junit',
          {},
          'junit.xml',
          '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite name="&x;"/>',
        ),
      'DOCTYPE',
    ],
    ['XML nested 20,000 deep', () => attach('junit', {}, 'junit.xml', '<testsuite>'.repeat(20_000)), 'deep'],
    ['SARIF nested 100,000 deep', () => attach('snyk', {}, 'scan.sarif', '['.repeat(100_000)), 'deep'],
    [
      'an archive that grows to a gigabyte',
      () => attach('junit', {}, 'evidence.tgz', gzipSync(Buffer.alloc(1024 * 1024 * 1024), { level: 9 })),
      'MiB',
    ],
    [
      'an archive that reaches out of its directory',
      () => attach('junit', {}, 'evidence.tgz', tgz('../../etc/cron.d/x.xml', Buffer.from('<testsuite/>'))),
      '..',
    ],
    [
      'an envelope that is none',
      () => attach('in_toto', { artifact_fingerprint: fingerprint('a') }, 'a.json', '{"payload":1}'),
      'read',
    ],
  ])('%s', async (_, send, because) => {
    const { status, body } = await send();
    expect([status, Object.keys(body.errors ?? {})]).toEqual([400, ['attachment_file']]);
    expect(body.errors?.['attachment_file']).toContain(because);
    expect(await recordedSoFar()).toBe(before);
  });

  it.each(['../../../etc/passwd', '..\\..\\x.xml', '/etc/passwd', '..', 'a\u0001b'])(
    'a file named %j',
    async (name) => {
      const raw = [
        '--b',
        'content-disposition: form-data; name="data_json"',
        '',
        '{"attestation_name":"x","is_compliant":true}',
        '--b',
        `content-disposition: form-data; name="attachment_file"; filename="${name}"`,
        'content-type: application/octet-stream',
        '',
        'x',
        '--b--',
        '',
      ].join('\r\n');
      const answer = await refused(() =>
        api.inject({
          method: 'POST',
          url: '/api/v2/attestations/acme/web/trail/t/generic',
          headers: { authorization: `Bearer ${api.org.keys.admin}`, 'content-type': 'multipart/form-data; boundary=b' },
          payload: raw,
        }),
      );
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([400, ['attachment_file']]);
      expect(await recordedSoFar()).toBe(before);
    },
  );

  it('JSON nested 1,000 deep, as a body and as a part', async () => {
    const deep = `{"attestation_name":"x","is_compliant":true,"user_data":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    const url = '/api/v2/attestations/acme/web/trail/t/generic';
    const headers = { authorization: `Bearer ${api.org.keys.admin}`, 'content-type': 'application/json' };
    const asBody = await refused(() => api.inject({ method: 'POST', url, headers, payload: deep }));
    expect([asBody.status, asBody.body.message]).toEqual([400, 'The body is nested more than 32 levels deep']);
    const form = `--b\r\ncontent-disposition: form-data; name="data_json"\r\n\r\n${deep}\r\n--b--\r\n`;
    const asPart = await refused(() =>
      api.inject({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
        payload: form,
      }),
    );
    expect([asPart.status, asPart.body.errors]).toEqual([400, { data_json: 'is nested too deeply' }]);
  });

  it('a data_json of 2 MB, and an attachment of 11', async () => {
    const large = { attestation_name: 'x', is_compliant: true, user_data: { text: 'x'.repeat(2_000_000) } };
    const path = '/attestations/acme/web/trail/t/generic';
    const asPart = await refused(() => sendForm(api, 'POST', path, { data_json: large }));
    expect([asPart.status, asPart.body.message]).toEqual([413, expect.stringContaining('1 MiB')]);
    const asBody = await refused(() =>
      api.call(attestGeneric, { params: { flow_name: 'web', trail_name: 't' }, body: large }),
    );
    expect(asBody.status).toBe(413);
    const attached = await attach('generic', { is_compliant: true }, 'big.bin', new Uint8Array(11 * 1024 * 1024));
    expect([attached.status, attached.body.message]).toEqual([413, expect.stringContaining('larger than')]);
    expect(await recordedSoFar()).toBe(before);
  });
});

describe("customers' own schemas and rules", () => {
  const type = (name: string, more: object) => api.call(postAttestationType, { body: { name, ...more } as never });
  const custom = (type_name: string, attestation_data: unknown) =>
    refused(() =>
      api.call(attestCustom, {
        params: { flow_name: 'web', trail_name: 't' },
        body: { attestation_name: 'x', type_name, attestation_data },
      }),
    );

  it('a rule that never ends is stopped, and nothing is recorded', async () => {
    expect((await type('endless', { evaluator: { content_type: 'jq', rules: ['def f: f; f'] } })).status).toBe(201);
    const answer = await custom('endless', { a: 1 });
    expect([answer.status, answer.body.errors]).toEqual([400, { attestation_data: 'takes too long to judge' }]);
    expect(await recordedSoFar()).toBe(before);
  });

  it('a rule that allocates all memory is stopped', async () => {
    expect(
      (await type('greedy', { evaluator: { content_type: 'jq', rules: ['[range(1e9)] | length > 0'] } })).status,
    ).toBe(201);
    expect((await custom('greedy', { a: 1 })).status).toBe(400);
  });

  it('a pattern that is exponential elsewhere is linear here', async () => {
    const type_schema = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 100_000, pattern: '^(a+)+$' } },
    };
    expect((await type('backtracking', { type_schema })).status).toBe(201);
    const answer = await custom('backtracking', { a: `${'a'.repeat(20_000)}!` });
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([400, ['attestation_data']]);
  });
});

it('a template that is a bomb of aliases', async () => {
  const bomb = `version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => `${'bcdefghi'[i]}: &${'bcdefghi'[i]} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`).join('\n')}\n`;
  const answer = await refused(() => api.call(putFlow, { body: { name: 'bomb', template: bomb } }));
  expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([400, ['template']]);
});
