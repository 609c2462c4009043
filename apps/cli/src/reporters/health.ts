import { createServer, type RequestListener } from 'node:http';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers the probes of Kubernetes at /healthz, and nothing else. */
export async function serveHealth(options: {
  readonly port: number;
  readonly host?: string;
  readonly isHealthy: () => boolean;
}): Promise<HealthServer> {
  const server = createServer(probe(options.isHealthy));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, options.host ?? '0.0.0.0', resolve);
  await promise;
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

function probe(isHealthy: () => boolean): RequestListener {
  return ({ method, url }, answer) => {
    const isProbe = (method === 'GET' || method === 'HEAD') && url?.split('?')[0] === '/healthz';
    const status = !isProbe ? 404 : isHealthy() ? 200 : 503;
    answer.writeHead(status, { 'content-type': 'text/plain' });
    answer.end(HEALTH_TEXTS[status]);
  };
}

const HEALTH_TEXTS: Readonly<Record<number, string>> = {
  200: 'ok\n',
  404: 'not found\n',
  503: 'report overdue\n',
};

/** Healthy while the last `beat` is recent. A reporter calls it with each report that it tries to send. */
export function heartbeatHealth(staleMs: number): { beat(): void; isHealthy(): boolean } {
  let last = performance.now();
  return {
    beat() {
      last = performance.now();
    },
    isHealthy: () => performance.now() - last < staleMs,
  };
}
