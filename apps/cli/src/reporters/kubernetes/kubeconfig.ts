import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { CliError, usageError } from '../../run/cli-error.ts';
import { type ExecCredential, type ExecPlugin, runExecPlugin } from './exec-credential.ts';
import type { Connect } from './http-api.ts';

interface Cluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: ExecPlugin;
  readonly username?: string;
  readonly 'auth-provider'?: unknown;
  readonly as?: string;
}

/** Paths in a kubeconfig are relative to their file. */
type Placed<T> = T & { readonly file: string };

interface Named {
  readonly name?: string;
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly (Named & { readonly context?: { readonly cluster?: string; readonly user?: string } })[];
  readonly clusters?: readonly (Named & { readonly cluster?: Cluster })[];
  readonly users?: readonly (Named & { readonly user?: User })[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Merges kubeconfig files; the first that sets a value wins. */
export async function kubeconfigConnect(
  files: readonly string[],
  context: string | undefined,
  env: Env,
): Promise<Connect> {
  const configs = await readAll(files);
  const name = context ?? configs.find(({ config }) => config['current-context'])?.config['current-context'];
  if (!name) {
    throw usageError(`${files.join(', ')} has no current context`, 'Choose one with --kube-context');
  }
  const chosen = find(configs, 'context', name, ({ contexts }) => contexts).context ?? {};
  const cluster = placed(
    find(configs, 'cluster', chosen.cluster, ({ clusters }) => clusters),
    (entry) => entry.cluster,
  );
  const user = placed(
    find(configs, 'user', chosen.user, ({ users }) => users),
    (entry) => entry.user,
  );
  requireKnown(cluster, user);
  const credential = credentialOf(user, cluster, env);
  return async ({ fresh }) => {
    const { server = '' } = cluster;
    return {
      server,
      ca: await inlineOrFile(cluster.file, cluster['certificate-authority-data'], cluster['certificate-authority']),
      insecure: cluster['insecure-skip-tls-verify'],
      serverName: cluster['tls-server-name'],
      ...(await credential(fresh)),
    };
  };
}

interface Read {
  readonly file: string;
  readonly config: Kubeconfig;
}

async function readAll(files: readonly string[]): Promise<Read[]> {
  const configs: Read[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text !== undefined) configs.push({ file, config: kubeconfigIn(file, text) });
  }
  if (configs.length === 0) {
    throw usageError(
      `No kubeconfig at ${files.join(', ')}`,
      'Add --kubeconfig FILE, or set KUBECONFIG; in a pod with a service account, none is needed',
    );
  }
  return configs;
}

function kubeconfigIn(file: string, text: string): Kubeconfig {
  let config: unknown;
  try {
    // Without its excerpt of the text, which may be a token.
    config = parse(text, { prettyErrors: false });
  } catch {
    throw usageError(`${file} is not YAML, so it is not a kubeconfig`);
  }
  if (typeof config !== 'object' || config === null) throw usageError(`${file} is not a kubeconfig`);
  return config;
}

function find<Entry extends Named>(
  configs: readonly Read[],
  what: string,
  name: string | undefined,
  entriesOf: (config: Kubeconfig) => readonly Entry[] | null | undefined,
): Entry & { file: string } {
  for (const { file, config } of configs) {
    const entry = entriesOf(config)?.find((entry) => entry.name === name);
    if (entry) return { ...entry, file };
  }
  const files = configs.map(({ file }) => file).join(', ');
  throw usageError(`${files || 'No kubeconfig'} has no ${what} named "${name ?? ''}"`);
}

function placed<Entry extends Named, T>(entry: Placed<Entry>, contentOf: (entry: Entry) => T | undefined): Placed<T> {
  return { ...contentOf(entry), file: entry.file } as Placed<T>;
}

/** Refuses unsupported settings: ignoring them would connect in another way than configured. */
function requireKnown(cluster: Placed<Cluster>, user: Placed<User>): void {
  if (!cluster.server || !URL.canParse(cluster.server)) throw usageError(`${cluster.file}: the cluster has no address`);
  if (cluster['proxy-url']) throw usageError(`${cluster.file}: proxy-url is not supported`);
  if (user.as) throw usageError(`${user.file}: impersonation is not supported`);
  if (user['auth-provider']) {
    throw usageError(
      `${user.file}: auth-provider is not supported`,
      'Use an exec plugin, which replaced auth-provider in Kubernetes',
    );
  }
  if (user.username)
    throw usageError(`${user.file}: user name and password are not supported; Kubernetes removed them in 1.19`);
}

interface Credential {
  readonly token?: string | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

function credentialOf(user: Placed<User>, cluster: Placed<Cluster>, env: Env): (fresh: boolean) => Promise<Credential> {
  let cached: ExecCredential | undefined;
  return async (fresh) => {
    if (user.exec) {
      if (fresh || !cached || cached.expiresAt <= Date.now()) {
        const { file: _, ...asked } = cluster;
        cached = await runExecPlugin(user.exec, { kubeconfig: user.file, env, cluster: asked });
      }
      return { token: cached.token, cert: cached.cert, key: cached.key };
    }
    return {
      token: await tokenOf(user),
      cert: await inlineOrFile(user.file, user['client-certificate-data'], user['client-certificate']),
      key: await inlineOrFile(user.file, user['client-key-data'], user['client-key']),
    };
  };
}

async function tokenOf({ file, token, tokenFile }: Placed<User>): Promise<string | undefined> {
  if (token || !tokenFile) return token;
  return readToken(resolve(dirname(file), tokenFile));
}

export async function readToken(path: string): Promise<string> {
  const token = (await readFile(path, 'utf8')).trim();
  if (token === '') throw new CliError('denied', `${path} does not contain a token for the cluster`);
  return token;
}

async function inlineOrFile(
  kubeconfig: string,
  data: string | undefined,
  path: string | undefined,
): Promise<Buffer | undefined> {
  if (data) return Buffer.from(data, 'base64');
  return path ? readFile(resolve(dirname(kubeconfig), path)) : undefined;
}
