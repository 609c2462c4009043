import { Option } from '@commander-js/extra-typings';
import { listWebhookKeys } from '@waymark/contract';
import { readInput } from '../../resources/read-input.ts';
import { usageError } from '../../run/cli-error.ts';
import type { Session } from '../../run/session.ts';
import { isVerifyingKey } from './signature.ts';

const VARIABLE = 'WAYMARK_WEBHOOK_SECRET';

export const secretFileOption = () =>
  new Option('--secret-file <file>', `file with the secret (whsec_…) or public key (whpk_…) (default: $${VARIABLE})`);
export const publicKeysOption = () =>
  new Option('--public-keys', 'verify with the public keys of the org, fetched from the service; needs no secret');

interface Flags {
  readonly secretFile?: string | undefined;
  readonly publicKeys?: true | undefined;
}

/** Returns the keys to verify requests with; undefined without any. Lines of the file may hold several secrets. */
export async function verifyingKeys(session: Session, { secretFile, publicKeys }: Flags): Promise<readonly string[]> {
  if (publicKeys) {
    const { keys } = await session
      .client()
      .call(listWebhookKeys, { params: { org: session.need('org') }, signal: session.io.signal });
    return keys.map(({ waymark_key }) => waymark_key);
  }
  const variable = session.io.env[VARIABLE];
  if (secretFile !== undefined) return readKeys(await readInput(session, secretFile), secretFile);
  return variable === undefined ? [] : readKeys(variable, VARIABLE);
}

function readKeys(text: string, source: string): string[] {
  const keys = text.split(/\s+/).filter(Boolean);
  if (keys.length > 0 && keys.every(isVerifyingKey)) return keys;
  throw usageError(
    `${source} does not contain a secret such as whsec_… or a public key such as whpk_…`,
    "Print the secret of a webhook with 'waymark notify secret get TARGET'",
  );
}
