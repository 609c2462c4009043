import { createServer, type Server } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import { type CertificateFiles, readCertificate } from './certificate.ts';

/** A client that never completes the handshake holds a connection this long. */
const HANDSHAKE_MS = 10_000;

/** A certificate is usually replaced weeks before it expires. */
const RELOAD_EVERY_MS = 30_000;

export interface TlsServers {
  readonly factory: FastifyServerFactory;
  stop(): Promise<void>;
}

/**
 * Makes servers that use the certificate in these files, and reads the files again from time to time. Their content is
 * compared: Kubernetes swaps a directory behind a symbolic link, which watchers of files often miss.
 */
export async function openTlsServers(
  files: CertificateFiles,
  log: Pick<Logger, 'info' | 'warn'>,
  everyMs = RELOAD_EVERY_MS,
): Promise<TlsServers> {
  let { context } = await readCertificate(files);
  // With the host `localhost` there is one server for each of its addresses.
  const servers: Server[] = [];
  let lastFault: string | undefined;

  async function reload(): Promise<void> {
    try {
      const read = await readCertificate(files);
      lastFault = undefined;
      if (read.context.cert === context.cert && read.context.key === context.key) return;
      context = read.context;
      for (const server of servers) server.setSecureContext(context);
      log.info({ names: read.names, notAfter: read.notAfter }, 'the certificate was reloaded');
    } catch (error) {
      const fault = (error as Error).message;
      if (fault !== lastFault) log.warn({ fault }, 'the new certificate cannot be used: the old one is served');
      lastFault = fault;
    }
  }

  const stopping = new AbortController();
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(everyMs, stopping.signal);
      await reload();
    }
  }
  const watching = watch();

  return {
    factory: (handler, options) => {
      const { keepAliveTimeout, requestTimeout } = options as Pick<Server, 'keepAliveTimeout' | 'requestTimeout'>;
      const timeouts = { handshakeTimeout: HANDSHAKE_MS, keepAliveTimeout, requestTimeout };
      const server = createServer({ ...context, ...timeouts }, handler);
      servers.push(server);
      return server;
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
