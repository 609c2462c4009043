import { hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { getEnvironmentReport, getTrailReport } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenEnvironment } from '../../../../test/given/environments.ts';
import { givenFlow, givenTrail } from '../../../../test/given/evidence.ts';
import { givenRunning } from '../../../../test/given/runs.ts';
import { startApi } from '../../../../test/harness.ts';

const api = await startApi({ chromium: { path: '/usr/bin/chromium', isSandboxed: process.getuid?.() !== 0 } });

async function pdfOf(path: string) {
  const headers = { authorization: `Bearer ${api.org.keys.reader}` };
  const answer = await api.app.http.inject({ url: `/api/v2${path}?format=pdf`, headers });
  expect(answer.statusCode).toBe(200);
  return { headers: answer.headers, bytes: answer.rawPayload };
}

function pagesIn(pdf: Buffer): number {
  return [...pdf.toString('latin1').matchAll(/\/Type \/Page\b/g)].length;
}

/** Returns the text streams of a PDF. Chromium ends lines with one character: the other may be data. */
function textsIn(pdf: Buffer): number {
  const text = pdf.toString('latin1');
  return [...text.matchAll(/stream\n(.*?)\nendstream/gs)].filter(([, content = '']) => {
    try {
      return /\bT[jJ]\b/.test(inflateSync(Buffer.from(content, 'latin1')).toString('latin1'));
    } catch {
      return false;
    }
  }).length;
}

it('prints a report on as many pages as needed', { timeout: 600_000 }, async () => {
  await givenEnvironment(api, 'prod');
  const many = Array.from({ length: 80 }, (_, i) => [`app-${i}`, hash('sha256', `artifact ${i}`)]);
  await givenRunning(api, 'prod', Object.fromEntries(many) as Record<string, string>);
  api.clock.now = new Date(api.clock.now.getTime() + 60_000);
  const { headers, bytes } = await pdfOf('/environments/acme/prod/report_period');
  expect(headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': expect.stringMatching(/^inline; filename="environment-prod-.*\.pdf"$/),
    'cache-control': 'no-store',
    'content-length': String(bytes.length),
  });
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pagesIn(bytes)).toBeGreaterThan(2);
  expect(textsIn(bytes)).toBeGreaterThanOrEqual(pagesIn(bytes));
  const page = await api.call(getEnvironmentReport, { params: { env_name: 'prod' } });
  expect(headers['waymark-content-sha256']).toBe(page.headers['waymark-content-sha256']);
});

it('prints a trail', { timeout: 600_000 }, async () => {
  await givenFlow(api, 'web');
  await givenTrail(api, 'web', 't');
  const { headers, bytes } = await pdfOf('/trails/acme/web/t/report');
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect(headers['content-disposition']).toBe('inline; filename="trail-web-t.pdf"');
  const missing = await api.call(getTrailReport, {
    params: { flow_name: 'web', trail_name: 'none' },
    query: { format: 'pdf' },
  });
  expect(missing.status).toBe(404);
});
