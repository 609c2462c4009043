import type { Session } from '../../run/session.ts';
import { version } from '../../run/version.ts';
import { skewOf, versionIn } from '../version/server-version.ts';
import { type Check, failed, passed, reasonOf, skipped } from './check.ts';

const TIMEOUT_MS = 10_000;
const MAX_SKEW_MS = 60_000;

/** Checks that the server is Waymark, its version, and its clock. */
export async function checkService({ io }: Session, host: string): Promise<Check[]> {
  const before = io.now().getTime();
  try {
    const response = await io.fetch(`${host}/api/v2/openapi.json`, {
      headers: { accept: 'application/json', 'user-agent': `waymark-cli/${version}` },
      redirect: 'manual',
      signal: AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await response.text();
    const between = (before + io.now().getTime()) / 2;
    const service = checkDocument(host, response, text);
    return [passed('http', `${response.status} from ${host}`), service, checkClock(response, between)];
  } catch (error) {
    io.signal.throwIfAborted();
    const http = failed(
      'http',
      'unavailable',
      `No response from ${host}: ${reasonOf(error)}`,
      'Check that the service is running and that the host is the service itself',
    );
    return [http, skipped('service', 'No response from the service'), skipped('clock', 'No response from the service')];
  }
}

function checkDocument(host: string, { status, headers }: Response, text: string): Check {
  if (status === 429 || status >= 500) {
    return failed(
      'service',
      'unavailable',
      `The service responds with ${status}`,
      'Try again later, or ask the operator of the service',
    );
  }
  const found = status === 200 ? versionIn(parsed(text), headers) : undefined;
  if (!found) {
    const to = headers.get('location');
    const where = to === null ? '' : `, redirects to ${URL.parse(to, host)?.origin ?? 'another address'}`;
    return failed(
      'service',
      'usage',
      `The server at ${host} is not Waymark (${status}${where})`,
      'Check --host, including its path, and whether a proxy in between asks for a sign-in',
    );
  }
  const skew = skewOf(found);
  if (skew) return failed('service', 'usage', skew, 'Update the older of the two');
  return passed('service', `Waymark, API ${found.api}; this program is ${version}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkClock({ headers }: Response, now: number): Check {
  const there = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(there)) return skipped('clock', 'The service does not report its time');
  const seconds = Math.round((now - there) / 1000);
  const found = `this machine is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  if (Math.abs(seconds) * 1000 <= MAX_SKEW_MS)
    return passed('clock', Math.abs(seconds) <= 2 ? 'in sync with the service' : found);
  return failed(
    'clock',
    'usage',
    found,
    'Set the clock of this machine, for example with NTP; otherwise times of evidence are wrong and tokens are refused',
  );
}
