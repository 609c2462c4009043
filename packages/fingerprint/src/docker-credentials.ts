import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** With the user name `<token>` the password is an identity token, as in Docker's credential helpers. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export type FindCredentials = (registry: string) => Promise<Credentials | undefined>;

type Fields = Readonly<Record<string, unknown>>;

/** Docker Hub is stored under its oldest address. */
const DOCKER_HUB_KEYS = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io', 'registry-1.docker.io'];
const HELPER_TIMEOUT_MS = 30_000;
const HELPER_MAX_BYTES = 64 * 1024;

/**
 * Reads the file that `docker login` writes, and asks the helpers that it names. Nothing is read before it is needed.
 */
export function dockerCredentials(configPath = join(homedir(), '.docker', 'config.json')): FindCredentials {
  return async (registry) => {
    const config = await readConfig(configPath);
    const keys = registry === 'docker.io' ? DOCKER_HUB_KEYS : [registry];
    const helper = helperFor(config, keys);
    if (helper !== undefined) {
      const found = await askHelper(configPath, helper, keys[0] ?? registry);
      if (found) return found;
    }
    return storedIn(config, keys, configPath);
  };
}

async function readConfig(path: string): Promise<Fields> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    // The parser quotes its input, which may be a password.
    throw new Error(`${path} is not JSON; "docker login" writes it again`);
  }
}

function helperFor(config: Fields, keys: readonly string[]): string | undefined {
  const helpers = fieldsOf(config['credHelpers']);
  const named = [...keys.map((key) => helpers[key]), config['credsStore']];
  return named.find((name): name is string => typeof name === 'string' && name !== '');
}

function storedIn(config: Fields, keys: readonly string[], path: string): Credentials | undefined {
  const hosts = keys.map(hostOf);
  for (const [key, value] of Object.entries(fieldsOf(config['auths']))) {
    if (!hosts.includes(hostOf(key))) continue;
    const credentials = credentialsOf(fieldsOf(value), `${path} has for ${key}`);
    if (credentials) return credentials;
  }
  return undefined;
}

/** The entry of a helper's registry is present as well, and empty. */
function credentialsOf(entry: Fields, where: string): Credentials | undefined {
  const { identitytoken, auth, username, password } = entry;
  if (typeof identitytoken === 'string' && identitytoken !== '')
    return { username: '<token>', password: identitytoken };
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  if (typeof auth !== 'string' || auth === '') return undefined;
  const decoded = Buffer.from(auth, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 1) throw new Error(`${where} an "auth" that is not a user name and a password; log in again`);
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1).replace(/\0+$/, '') };
}

async function askHelper(configPath: string, helper: string, key: string): Promise<Credentials | undefined> {
  const command = `docker-credential-${helper}`;
  if (!/^[\w.-]+$/.test(helper)) throw new Error(`${configPath} names a credential helper that is none: "${helper}"`);
  const { code, stdout } = await run(command, key);
  if (code === 'ENOENT') throw new Error(`${configPath} names ${command}, which is not installed`);
  if (code !== 0 && /credentials not found/i.test(stdout)) return undefined;
  if (code !== 0) throw new Error(`${command}, which ${configPath} names, failed when asked for ${key} (${code})`);
  const answer = parsed(stdout);
  const { Username: username, Secret: password } = answer;
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new Error(`${command}, which ${configPath} names, did not answer with credentials for ${key}`);
  }
  return username === '' && password === '' ? undefined : { username, password };
}

/** An error of the child contains its output, so it is not passed on. */
async function run(command: string, input: string): Promise<{ code: number | string; stdout: string }> {
  return new Promise((resolve) => {
    const options = { timeout: HELPER_TIMEOUT_MS, maxBuffer: HELPER_MAX_BYTES };
    const child = execFile(command, ['get'], options, (error, stdout) => {
      resolve({ code: error ? (error.code ?? error.signal ?? 'unknown') : 0, stdout });
    });
    // A helper that ends without reading its input is judged by its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function hostOf(key: string): string {
  return key
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/s, '')
    .toLowerCase();
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
