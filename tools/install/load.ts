import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Writes and reads flows one after another, each on a new connection, until it gets SIGTERM. Prints a line of JSON for
 * each request: which write was acknowledged, that a read was answered, or what failed.
 *
 *   node tools/install/load.ts URL ORG NAME, with WAYMARK_TOKEN
 */

export type LoadLine = { readonly written: string } | { readonly read: true } | { readonly failure: string };

const PAUSE_MS = 20;
const TIMEOUT_MS = 30_000;

const [, , url = '', org = '', name = ''] = process.argv;
const print = (line: LoadLine) => void process.stdout.write(`${JSON.stringify(line)}\n`);
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
  print(wrote === '201' ? { written: flow } : { failure: `PUT ${flow}: ${wrote}` });
  const read = await call('GET', `/flows/${org}?per_page=1`);
  print(read === '200' ? { read: true } : { failure: `GET after ${flow}: ${read}` });
  await sleep(PAUSE_MS);
}
