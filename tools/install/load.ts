import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Writes and reads flows one after another, each on a new connection, until it gets SIGTERM. Then prints which writes
 * were acknowledged, and everything that failed.
 *
 *   node tools/install/load.ts URL ORG NAME, with WAYMARK_TOKEN
 */

export interface LoadReport {
  readonly written: string[];
  readonly reads: number;
  readonly failures: string[];
}

const PAUSE_MS = 20;
const TIMEOUT_MS = 30_000;

const [, , url = '', org = '', name = ''] = process.argv;
const report: { written: string[]; reads: number; failures: string[] } = { written: [], reads: 0, failures: [] };
const agent = new Agent({ keepAlive: false });
let isStopped = false;
process.once('SIGTERM', () => {
  isStopped = true;
});

function call(method: string, path: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${process.env['WAYMARK_TOKEN']}`, 'content-type': 'application/json' };
  return new Promise((done) => {
    const sent = request(`${url}/api/v2${path}`, { method, agent, headers, timeout: TIMEOUT_MS }, (answer) => {
      answer.resume().once('end', () => done(`${answer.statusCode}`));
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    sent.end(body && JSON.stringify(body));
  });
}

for (let number = 1; !isStopped; number++) {
  const flow = `${name}-${number}`;
  const wrote = await call('PUT', `/flows/${org}`, { name: flow });
  if (wrote === '201') report.written.push(flow);
  else report.failures.push(`PUT ${flow}: ${wrote}`);
  const read = await call('GET', `/flows/${org}?per_page=1`);
  if (read === '200') report.reads++;
  else report.failures.push(`GET after ${flow}: ${read}`);
  await sleep(PAUSE_MS);
}
process.stdout.write(JSON.stringify(report));
