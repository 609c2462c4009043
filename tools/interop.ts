import { clientIn } from './interop/client.ts';
import { startDemo } from './interop/demo-server.ts';
import { evidence } from './interop/evidence.ts';
import { flows } from './interop/flows.ts';
import { health } from './interop/health.ts';
import { complaintsAbout, type Step } from './interop/step.ts';

/** Runs the public client of this API, unmodified, against a demo server, and looks at what it prints. */

// The demo keeps its data between runs, so everything made here carries a name of its own.
const run = `interop-${Date.now()}`;
const steps: Step[] = [...health(), ...flows(run), ...evidence(run)];

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
    const result = await client(step.args, step.env);
    const complaints = complaintsAbout(step, result);
    const command = [...Object.entries(step.env ?? {}).map((setting) => setting.join('=')), ...step.args].join(' ');
    console.log(complaints.length === 0 ? `ok    ${command}` : `FAIL  ${command}`);
    if (complaints.length === 0) continue;
    failed += 1;
    console.log(indented([...complaints, `exit ${result.exit}`, result.out, result.err].join('\n')));
  }
} finally {
  await demo.stop();
}
console.log(`${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ');
}
