import type { Forgery } from './forge.ts';
import { startIssuerProcess } from './issuer-process.ts';
import { locationOf, newWanderer } from './wanderer.ts';

export interface ProviderOptions {
  /** One `*` matches the name of any org. */
  readonly redirectUris: readonly string[];
  /** Without one the client is public. */
  readonly clientSecret?: string;
  /** As the standard has it; else all claims are in the ID token. */
  readonly claimsFromUserInfo?: boolean;
}

export interface ProviderState {
  /** Claims of a login, besides those of everybody. */
  accounts: Record<string, Readonly<Record<string, unknown>>>;
  forge: Forgery | null;
  /** How long it takes to answer with tokens. */
  pauseMs: number;
  /** The issuer named in the response to the client; an empty text for none, as some do. */
  issuerParameter: string | null;
}

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly pid: number;
  set(state: Partial<ProviderState>): Promise<void>;
  /** Signs with a new key from now on, and publishes only that one. */
  rollOver(): Promise<void>;
  /** Signs somebody in there, in a new browser, and returns the URL it redirects to. */
  signIn(authorizationUrl: string, login: string): Promise<string>;
  stop(): Promise<void>;
}

/** An identity provider in a separate process, with its own keys. The address of `login` is `login@corp.test`. */
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
