import { VERSION } from '../../platform/version.ts';
import { type Check, Fault, orFault } from './check.ts';

/** Longer than the server takes to find out that its database does not answer. */
const PATIENCE_MS = 10_000;

interface Answer {
  readonly version: string;
  /** What the server made of X-Forwarded-For in this request. */
  readonly forwarding: 'none' | 'trusted' | 'ignored';
}

/** Whether people reach the API by its public address, and through which proxy. */
export function addressChecks(publicUrl: string): Check[] {
  const url = `${publicUrl.replace(/\/$/, '')}/status`;
  let asked: Promise<Answer> | undefined;
  const ask = () => (asked ??= askStatus(url));
  return [
    {
      name: 'API',
      run: async () => {
        const { version } = await ask();
        return version === VERSION
          ? `version ${version}`
          : `version ${version}, but this command has version ${VERSION}`;
      },
    },
    { name: 'proxy', needs: ['API'], run: async () => describeProxy(await ask()) },
  ];
}

async function askStatus(url: string): Promise<Answer> {
  const sent = fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(PATIENCE_MS) });
  const answer = await orFault(
    sent,
    'The API cannot be reached at its public URL from this machine',
    'check that the API and its proxy run; check the DNS name, the certificate, the firewall, and WAYMARK_PUBLIC_URL',
  );
  const body: unknown = await answer.json().catch(() => undefined);
  if (isAnswer(body)) return body;
  throw new Fault('The server at the public URL is not Waymark', {
    found: `${url} responds with ${answer.status}, without the status of a Waymark server`,
    fix: 'route the public URL to the API server in the proxy, or fix WAYMARK_PUBLIC_URL',
  });
}

function isAnswer(body: unknown): body is Answer {
  return typeof body === 'object' && body !== null && 'version' in body && 'forwarding' in body;
}

function describeProxy({ forwarding }: Answer): string {
  if (forwarding === 'none') return 'none between this machine and the API';
  if (forwarding === 'trusted') return 'trusted, so the addresses of callers are known';
  throw new Fault('The proxy in front of the API is not trusted, so all callers share the rate limit of its address', {
    found: 'the API received X-Forwarded-For from an address that is not in WAYMARK_TRUSTED_PROXIES',
    fix: 'set WAYMARK_TRUSTED_PROXIES to the address or range of the proxy, and restart the API',
  });
}
