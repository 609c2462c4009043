import { exportJWK } from 'jose';
import type { IssuerAnswer, IssuerState } from './ci-issuer-process.ts';
import { mintToken, newSigningKey, type SigningKey, type Wanted } from './ci-token.ts';
import { startIssuerProcess } from './issuer-process.ts';

/** An issuer of tokens for CI jobs that speaks HTTP, as those of the large CI systems do. */
export interface CiIssuer {
  readonly url: string;
  /** How often its keys were requested. */
  asked(): Promise<number>;
  /** The response in place of its keys, or undefined for its keys. */
  answerWith(answer: IssuerAnswer | 'no-answer' | undefined): Promise<void>;
  /** Signs with a new key from now on. The old one stays in the set unless it is withdrawn. */
  rollOver(options?: { alg?: string; withdrawOld?: boolean }): Promise<SigningKey>;
  readonly key: () => SigningKey;
  /** Further keys in the set, of any kind. */
  publish(keys: readonly object[]): Promise<void>;
  mint(wanted?: Wanted): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts one as a separate process. `now` is the clock of the verifier; `audience` is the default audience of tokens.
 */
export async function startCiIssuer(options: {
  readonly now: () => Date;
  readonly audience: string;
  readonly alg?: string;
}): Promise<CiIssuer> {
  const { alg: usual = 'RS256', audience } = options;
  const { url, stop } = await startIssuerProcess(new URL('./ci-issuer-process.ts', import.meta.url));
  let signing = await newSigningKey(usual);
  let keys: readonly object[] = [signing.publicJwk];
  let answer: IssuerState['answer'] = null;

  async function tell(): Promise<void> {
    const { kid, alg, privateKey } = signing;
    const state: IssuerState = {
      keys,
      answer,
      audience,
      signing: { kid, alg, privateJwk: await exportJWK(privateKey) },
    };
    await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(state) });
  }
  await tell();

  return {
    url,
    async asked() {
      const response = await fetch(`${url}/asked`);
      return ((await response.json()) as { asked: number }).asked;
    },
    async answerWith(wanted) {
      answer = wanted ?? null;
      await tell();
    },
    async rollOver({ alg = usual, withdrawOld = false } = {}) {
      signing = await newSigningKey(alg);
      keys = [...(withdrawOld ? [] : keys), signing.publicJwk];
      await tell();
      return signing;
    },
    key: () => signing,
    async publish(more) {
      keys = [...keys, ...more];
      await tell();
    },
    mint: ({ key = signing, ...wanted } = {}) => mintToken({ iss: url, aud: audience, at: options.now() }, key, wanted),
    close: stop,
  };
}
