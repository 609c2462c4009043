import { spawnSync } from 'node:child_process';
import type { DemoInstallation } from './demo-api.ts';
import { findDemoState } from './find-state.ts';
import { keepReports } from './keep-reporting.ts';
import { seedDemo } from './seed.ts';

export interface Preparation {
  readonly installation: DemoInstallation;
  /** Runs `waymark-server` with the settings of the installation. */
  readonly admin: Admin;
  /** Where the last reports are stored, so that the next start can repeat them. */
  readonly reportsFile: string;
  readonly print: (text: string) => void;
  /** Called with the progress, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

export type Admin = (...args: string[]) => { readonly ok: boolean; readonly out: string };

/** `program` is the server, from source or as it was built. */
export function adminOf(program: string, env: NodeJS.ProcessEnv): Admin {
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
    return { ok: status === 0, out: status === 0 ? stdout.trim() : stderr.trim() };
  };
}

/**
 * Makes the history of the demo unless it is there, and returns a key of its admin ada. The key is new each time, as an
 * old one cannot be shown again.
 */
export async function prepareDemo(preparation: Preparation): Promise<string> {
  const { installation, admin, print } = preparation;
  const known = newKey(admin);
  // On the first start ada is created by the history.
  if (!known.ok) return seed(preparation);
  const state = await findDemoState(installation, known.out);
  if (state.kind === 'free') return seed(preparation);
  if (state.kind === 'taken') {
    print(`the org acme has its own ${state.by}, so the history of the demo is not put into it\n`);
  }
  return known.out;
}

async function seed({ installation, admin, reportsFile, print, onProgress }: Preparation): Promise<string> {
  print('making ninety days of history');
  const { lastReports } = await seedDemo({ ...installation, now: new Date(), ...(onProgress && { onProgress }) });
  print(', done\n');
  await keepReports(reportsFile, lastReports);
  const { ok, out } = newKey(admin);
  if (!ok) throw new Error(`ada got no key: ${out}`);
  return out;
}

function newKey(admin: Admin) {
  return admin('key', 'create', '--user', 'ada', '--description', 'demo');
}
