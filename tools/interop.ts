import { clientIn } from './interop/client.ts';
import { controls } from './interop/controls.ts';
import { defaultOrg } from './interop/default-org.ts';
import { startDemo } from './interop/demo-server.ts';
import { environments } from './interop/environments.ts';
import { evidence } from './interop/evidence.ts';
import { flows } from './interop/flows.ts';
import { health } from './interop/health.ts';
import { policies } from './interop/policies.ts';
import { runStep } from './interop/run-step.ts';
import { serviceAccounts } from './interop/service-accounts.ts';
import { snapshots } from './interop/snapshots.ts';

/** Runs the public client of this API, unmodified, against a demo server, and checks its output. */

const groups = {
  health,
  flows,
  evidence,
  environments,
  snapshots,
  controls,
  policies,
  'service-accounts': serviceAccounts,
  'default-org': defaultOrg,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in groups));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(', ')}: there are ${Object.keys(groups).join(', ')}`);
  process.exit(64);
}

// The demo keeps its data between runs, so everything created here has a unique name.
const run = `interop-${Date.now()}`;
const steps = Object.entries(groups)
  .filter(([name]) => asked.length === 0 || asked.includes(name))
  .flatMap(([, group]) => group(run));

const demo = await startDemo();
let failed = 0;
try {
  const client = clientIn({
    KOSLI_HOST: demo.url,
    KOSLI_ORG: 'acme',
    KOSLI_API_TOKEN: demo.key,
    KOSLI_MAX_API_RETRIES: '0',
  });
  for (const step of steps) {
    const { title, complaints } = await runStep(step, client, demo);
    console.log(complaints.length === 0 ? `ok    ${title}` : `FAIL  ${title}`);
    if (complaints.length === 0) continue;
    failed += 1;
    console.log(indented(complaints.join('\n')));
  }
} finally {
  await demo.stop();
}
console.log(`${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ');
}
