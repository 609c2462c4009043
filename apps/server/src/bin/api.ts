import { buildApi } from '../app/api.ts';
import { createListeners } from '../features/activity/feed/listeners.ts';
import { readInstallationRoot } from '../features/trust/installation-root.ts';
import { openBlobs } from '../platform/blobs/open-blobs.ts';
import { openObjects } from '../platform/blobs/open-objects.ts';
import { openTlsServers } from '../platform/http/tls-servers.ts';
import { readWebFiles } from '../platform/http/web-files.ts';
import { openCheckedDb } from '../platform/journal/life-check.ts';
import { hearOrg, hearReconnects } from '../platform/journal/notices.ts';
import { createPoke } from '../platform/journal/poke.ts';
import { linkStream } from '../platform/journal/stream.ts';
import { NO_WITNESSES } from '../platform/ledger/witness-policy.ts';
import { createLiveServers, observeServers } from '../platform/live-servers.ts';
import { openMailer } from '../platform/mail/mailer.ts';
import { createGuardedFetch } from '../platform/outbound/guarded-fetch.ts';
import { outboundOptions } from '../platform/outbound/outbound-options.ts';
import { requireChromium } from '../platform/print-pdf.ts';
import { openSandbox } from '../platform/sandbox/sandbox.ts';
import { openSecretBox } from '../platform/secret-box.ts';
import { systemClock } from '../platform/time.ts';
import type { Running, ServerProcess, Together } from './running.ts';
import { orCannotListen, orMisconfigured } from './start.ts';

// A connection that finds no room is retried by the client's system after one second, then three, then seven.
const BACKLOG = 4_096;

export async function startApi({ config, log, metrics }: ServerProcess, together?: Together): Promise<Running> {
  const { db, life } = openCheckedDb(config.database, log);
  // Logs it at once; a database that is down is logged by itself.
  void life.isKnown().catch(() => undefined);
  const servers = createLiveServers({ db, log });
  if (metrics) observeServers(metrics, servers);
  const stopping = new AbortController();
  const counting = servers.run(stopping.signal);
  const listeners = together?.listeners ?? createListeners();
  const sandbox = openSandbox();
  const mailer = config.mail && openMailer(config.mail);

  // The API serves with or without the stream: committed entries are published later.
  const stream = linkStream(config.stream, 'waymark-api', log, (linked) => {
    listeners.subscribeWith((org, hear) => hearOrg(linked, org, hear));
    void hearReconnects(linked, listeners.wakeAll);
  });
  const poke = createPoke(stream);

  const app = buildApi(
    {
      db,
      life,
      blobs: openBlobs(config.blobs),
      stream: config.stream && stream,
      attachmentMaxBytes: config.attachmentMaxBytes,
      storageQuota: config.storageQuota,
      sandbox,
      log,
      metrics,
      now: systemClock,
      publicUrl: config.publicUrl,
      regionLetter: config.region.charAt(0),
      outbound: createGuardedFetch(outboundOptions(config)),
      outboundNetworks: config.outboundNetworks,
      mailer,
      secretBox: config.secretKeys && openSecretBox(...config.secretKeys),
      signIn: config.signIn,
      ledger: {
        name: config.ledger.name,
        witnesses: config.ledger.witnesses ?? NO_WITNESSES,
        objects: openObjects(config.blobs),
      },
      statementKeys: config.statementKeys,
      sigstoreRoot: await orMisconfigured(
        'WAYMARK_SIGSTORE_TRUSTED_ROOT',
        readInstallationRoot(config.sigstoreTrustedRoot),
      ),
      chromium: await orMisconfigured('WAYMARK_CHROMIUM', requireChromium(config.chromium, log)),
      rateLimit: config.rateLimit,
      servers: servers.count,
      streamLimits: config.streamLimits,
      trustedProxies: config.trustedProxies,
      tls:
        config.tls && (await orMisconfigured('WAYMARK_TLS_CERT or WAYMARK_TLS_KEY', openTlsServers(config.tls, log))),
      web: await readWebFiles(config.webDir),
      onWrite() {
        together?.written.wake();
        poke();
      },
    },
    listeners,
  );
  if (mailer) app.watchQueue('mail', mailer.figures);

  await orCannotListen('WAYMARK_PORT', config.listen, app.http.listen({ ...config.listen, backlog: BACKLOG }));
  log.info({ region: config.region, url: config.publicUrl }, 'api listens');

  return {
    watchQueue: app.watchQueue,
    async stop() {
      app.drain();
      stopping.abort();
      await app.http.close();
      await sandbox.close();
      mailer?.close();
      await stream.close();
      await counting;
      await db.destroy();
    },
  };
}
