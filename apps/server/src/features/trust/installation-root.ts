import { readFile } from 'node:fs/promises';
import { trustedRootFault } from './trusted-root.ts';

/** The root for identities without their own. A wrong file must fail at start, not at the first signature. */
export async function readInstallationRoot(path: string | undefined): Promise<unknown> {
  if (path === undefined) return undefined;
  const root: unknown = JSON.parse(await readFile(path, 'utf8'));
  const fault = trustedRootFault(root);
  if (fault) throw new Error(`${path} ${fault}`);
  return root;
}
