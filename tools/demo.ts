import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildWeb } from './demo/build-web.ts';
import { reportOnAndOn } from './demo/keep-reporting.ts';
import { givenLedger } from './demo/ledger.ts';
import { openMailbox } from './demo/mailbox.ts';
import { adminOf, prepareDemo } from './demo/prepare.ts';
import { endpoints } from './services/endpoints.ts';
import { untilReady } from './services/ready.ts';

/** Starts a whole Waymark for trying it out. Ends with the address and the admin's key as its last two lines. */

const HELP = `pnpm demo starts a whole Waymark on this machine, to try it out, and runs until it is interrupted.

It starts PostgreSQL and NATS (pnpm services up postgres nats), builds the web application, migrates the database, makes the org
acme with ninety days of history that end now, and starts the API, a worker, and two witnesses of the ledger. Its last two
lines are the address and a key of its admin ada.
What was recorded stays for the next time; pnpm services wipe deletes it.

  WAYMARK_PORT       port of the API, 8080 unless set
  WAYMARK_LOG_LEVEL  what its log tells, warn unless set
`;

const [asked] = process.argv.slice(2);
if (asked !== undefined) {
  const isHelp = asked === '--help' || asked === '-h' || asked === 'help';
  (isHelp ? process.stdout : process.stderr).write(isHelp ? HELP : `pnpm demo takes no '${asked}'\n\n${HELP}`);
  process.exit(isHelp ? 0 : 2);
}

const ROOT = join(import.meta.dirname, '..');
const SERVER = join(ROOT, 'apps/server/src/bin/waymark-server.ts');
const port = process.env['WAYMARK_PORT'] ?? '8080';
const url = `http://127.0.0.1:${port}`;

const services = spawnSync(process.execPath, [join(ROOT, 'tools/services.ts'), 'up', 'postgres', 'nats'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (services.status !== 0) process.exit(services.status ?? 1);
buildWeb();
// The server finds it once it is there; nobody has to wait for it.
spawn(process.execPath, [join(ROOT, 'tools/site/build-site.ts')], { stdio: 'ignore' });

const { postgresUrl, natsUrl, dataDir } = endpoints();
const mailbox = await openMailbox((text) => process.stdout.write(text));
// Worthless outside of the demo; constant, as its database persists.
const secretKey = Buffer.alloc(32, 'demo');
const blobDir = join(dataDir, 'demo-blobs');
const reportsFile = join(dataDir, 'demo-reports.json');
const ledger = await givenLedger(join(dataDir, 'demo-ledger'));
const env = {
  ...process.env,
  WAYMARK_REGION: 'eu',
  WAYMARK_PUBLIC_URL: url,
  WAYMARK_PORT: port,
  WAYMARK_DATABASE_URL: postgresUrl,
  WAYMARK_NATS_URL: natsUrl,
  WAYMARK_BLOB_DIR: blobDir,
  WAYMARK_SMTP_URL: mailbox.url,
  WAYMARK_SIGN_UP: 'open',
  // A local identity provider, to try single sign-on.
  WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8',
  WAYMARK_SECRET_KEY: secretKey.toString('base64'),
  ...ledger.settings,
  WAYMARK_LOG_LEVEL: process.env['WAYMARK_LOG_LEVEL'] ?? 'warn',
};

const admin = adminOf(SERVER, env);

function must(...args: string[]): string {
  const { ok, out } = admin(...args);
  if (!ok) throw new Error(`waymark-server ${args.join(' ')}: ${out}`);
  return out;
}

function start(part: 'api' | 'worker' | 'witness', settings: NodeJS.ProcessEnv = env): ChildProcess {
  return spawn(process.execPath, [SERVER, part], { env: settings, stdio: ['ignore', 'inherit', 'inherit'] });
}

const installation = {
  databaseUrl: postgresUrl,
  blobs: { kind: 'directory', root: blobDir } as const,
  secretKey,
  publicUrl: url,
};

must('migrate');
const print = (text: string) => void process.stdout.write(text);
const onProgress = (done: number) => print(`\rmaking ninety days of history ${Math.floor(done * 100)} %`);
const key = await prepareDemo({
  installation,
  admin,
  reportsFile,
  print,
  ...(process.stdout.isTTY && { onProgress }),
});

const { WAYMARK_LOG_LEVEL } = env;
const witnesses = ledger.witnesses.map((own) => start('witness', { ...process.env, WAYMARK_LOG_LEVEL, ...own }));
const children = [...witnesses, start('api'), start('worker')];
const ended = Promise.all(children.map((child) => new Promise<void>((resolve) => child.once('exit', () => resolve()))));
let stopping = false;
function stop(): void {
  stopping = true;
  for (const child of children) child.kill('SIGTERM');
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// Also when the next step fails.
process.once('exit', stop);
for (const child of children) {
  child.once('exit', (code) => {
    if (!stopping) process.exitCode = code || 1;
    if (!stopping) stop();
  });
}

await untilReady(url, {
  isAlive: () => children.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null),
  hint: 'Its log is above, and WAYMARK_LOG_LEVEL=info shows more. Running pnpm demo again is safe: it keeps what it made.',
});
await reportOnAndOn({ url, key }, reportsFile);
process.stdout.write(`To sign in, request a link at ${url}/sign-in for ada@example.com (admin), bea@example.com (member), or
carl@example.com (reader). Emails are printed here.
`);
process.stdout.write(`ready ${url}\n${key}\n`);
await ended;
mailbox.close();
