import type { Forgery } from './forge.ts';
import { startIssuerProcess } from './issuer-process.ts';
import { locationOf, newWanderer } from './wanderer.ts';

export interface ProviderOptions {
  /** One `*` stands for the name of any org. */
  readonly redirectUris: readonly string[];
  /** Without one the client is public. */
  readonly clientSecret?: string;
  /** As the standard has it; else all claims are in the ID token. */
  readonly claimsFromUserInfo?: boolean;
}

export interface ProviderState {
  /** What is told about a login besides what is told about everybody. */
  accounts: Record<string, Readonly<Record<string, unknown>>>;
  forge: Forgery | null;
  /** For how long it thinks before it answers with tokens. */
  pauseMs: number;
  /** What the answer to the client names as its issuer; an empty text for one that names none, as some do. */
  issuerParameter: string | null;
}

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly pid: number;
  set(state: Partial<ProviderState>): Promise<void>;
  /** Signs with a new key from now on, and publishes that one alone. */
  rollOver(): Promise<void>;
  /** Signs somebody in there, in a browser that never was there, and returns the address it is sent back to. */
  signIn(authorizationUrl: string, login: string): Promise<string>;
  stop(): Promise<void>;
}

/** An identity provider in a process of its own, with keys of its own. `login` is told as `login@corp.test`. */
export async function startProvider(options: ProviderOptions): Promise<OidcProvider> {
  const program = new URL('./provider-process.ts', import.meta.url);
  const { url: issuer, pid, stop } = await startIssuerProcess(program, JSON.stringify(options));
  return {
    issuer,
    clientId: 'waymark',
    pid,
    async set(state) {
      await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify(state) });
    },
    async rollOver() {
      await fetch(`${issuer}/roll-over`, { method: 'POST' });
    },
    signIn: (url, login) => signInAt(issuer, url, login),
    stop,
  };
}

async function signInAt(issuer: string, authorizationUrl: string, login: string): Promise<string> {
  const first = new URL(authorizationUrl);
  first.searchParams.set('login_hint', login);
  const go = newWanderer();
  let at = first.href;
  for (let steps = 0; steps < 10; steps++) {
    if (!at.startsWith(`${issuer}/`)) return at;
    at = await locationOf(await go(at));
  }
  throw new Error('the identity provider leads round in circles');
}
