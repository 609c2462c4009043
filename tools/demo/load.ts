import { dirname, join } from 'node:path';
import { loadConfig } from '../../apps/server/src/config/env.ts';
import { untilReady } from '../services/ready.ts';
import { reportOnAndOn } from './keep-reporting.ts';
import { adminOf, prepareDemo } from './prepare.ts';

/**
 * Puts the history of the demo into an installation that runs, and repeats its reports until it is stopped. Released
 * beside the server, for trying Waymark out in containers; has the settings of a server.
 *
 *   node waymark-demo.js URL_OF_THE_API FILE_FOR_REPORTS
 */

const [url, reportsFile] = process.argv.slice(2);
const config = loadConfig(process.env);
const [secretKey] = config.secretKeys ?? [];
if (!url || !reportsFile || !secretKey) {
  throw new Error('waymark-demo needs the URL of the API, a file for reports, and WAYMARK_SECRET_KEY');
}
process.once('SIGTERM', () => process.exit(0));

const print = (text: string) => void process.stdout.write(text);
await untilReady(url, { isAlive: () => true, hint: 'Is the API running?' });
const admin = adminOf(join(dirname(process.argv[1] ?? ''), 'waymark-server.js'), process.env);
const installation = {
  databaseUrl: config.database.url,
  blobs: config.blobs,
  secretKey,
  publicUrl: config.publicUrl,
};
const key = await prepareDemo({ installation, admin, reportsFile, print });
await reportOnAndOn({ url, key }, reportsFile);
print(`to sign in as ada, an admin, open within 10 minutes: ${admin('user', 'sign-in-link', 'ada').out}\n`);
print(`ready ${config.publicUrl}\n${key}\n`);
// The repeated reports keep no process alive.
setInterval(() => undefined, 3_600_000);
