import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { CliError, usageError } from './cli-error.ts';
import type { Io } from './io.ts';

export interface EvidenceRule {
  readonly name: string;
  readonly type: string;
  readonly path: string;
  readonly artifact?: string;
  /** Whether no match is allowed. */
  readonly optional?: boolean;
}

export interface ProjectFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  readonly evidence: readonly EvidenceRule[];
}

const PROJECT_FILE = '.waymark.yml';
const VALUES = ['host', 'org', 'flow', 'on_unavailable'];
const SECRETS = /token|key|secret|password|credential/i;

/**
 * Returns the nearest `.waymark.yml` of the repository, here or further up. Outside of a repository only the working
 * directory counts.
 */
export function readProjectFile(cwd: string): ProjectFile | undefined {
  for (const directory of directoriesOfProject(cwd)) {
    const path = join(directory, PROJECT_FILE);
    const text = readIfThere(path);
    if (text !== undefined) return projectFileOf(path, text);
  }
  return undefined;
}

/** Not beyond the repository: a file above it, in a shared directory, belongs to no project. */
function directoriesOfProject(cwd: string): string[] {
  const upwards: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    upwards.push(directory);
    if (existsSync(join(directory, '.git'))) return upwards;
    if (dirname(directory) === directory) return [cwd];
  }
}

export function projectFileOf(path: string, text: string): ProjectFile {
  const content = readYaml(path, text);
  const { version, evidence, ...others } = content;
  if (version !== undefined && version !== 1) throw usageError(`${path}: version must be 1`);
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(others)) {
    if (SECRETS.test(key)) {
      throw usageError(
        `${path}: '${key}' is not allowed in a shared file`,
        "Put the key into WAYMARK_TOKEN, or sign in with 'waymark auth login'",
      );
    }
    if (!VALUES.includes(key))
      throw usageError(`${path}: unknown key '${key}'; known keys are ${VALUES.join(', ')}, evidence`);
    if (typeof value !== 'string' || value === '') throw usageError(`${path}: '${key}' must be non-empty text`);
    if (key === 'on_unavailable' && value === 'ignore') {
      throw usageError(`${path}: 'on_unavailable' must be fail or spool; a file cannot choose to lose evidence`);
    }
    values[key] = value;
  }
  return { path, values, evidence: evidenceOf(path, evidence) };
}

function evidenceOf(path: string, evidence: unknown): EvidenceRule[] {
  if (evidence === undefined || evidence === null) return [];
  if (!Array.isArray(evidence)) throw usageError(`${path}: evidence must be a list`);
  return evidence.map((rule: unknown, at) => {
    const { name, type, path: pattern, artifact, optional, ...rest } = (rule ?? {}) as Record<string, unknown>;
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) throw usageError(`${path}: unknown key evidence[${at}].${unknown}`);
    const texts = { name, type, path: pattern, ...(artifact !== undefined && { artifact }) };
    for (const [key, value] of Object.entries(texts)) {
      if (typeof value !== 'string' || value === '') throw usageError(`${path}: evidence[${at}].${key} must be text`);
    }
    if (optional !== undefined && typeof optional !== 'boolean')
      throw usageError(`${path}: evidence[${at}].optional must be true or false`);
    return { ...texts, ...(optional !== undefined && { optional }) } as unknown as EvidenceRule;
  });
}

export interface UserContext {
  readonly host?: string;
  readonly org?: string;
  readonly flow?: string;
}

export interface UserFile {
  readonly path: string;
  readonly current: string | undefined;
  readonly contexts: Readonly<Record<string, UserContext>>;
}

export function configDirectory(io: Pick<Io, 'env' | 'home'>): string {
  return join(io.env['XDG_CONFIG_HOME'] || join(io.home, '.config'), 'waymark');
}

export function stateDirectory(io: Pick<Io, 'env' | 'home'>): string {
  return join(io.env['XDG_STATE_HOME'] || join(io.home, '.local/state'), 'waymark');
}

export function readUserFile(io: Pick<Io, 'env' | 'home'>): UserFile {
  const path = join(configDirectory(io), 'config.yml');
  const text = readIfThere(path);
  const { current, contexts } = text === undefined ? {} : readYaml(path, text);
  return {
    path,
    current: typeof current === 'string' ? current : undefined,
    contexts: (contexts ?? {}) as UserFile['contexts'],
  };
}

/** Keys by host. The file must be readable by its owner only. */
export function readCredentials(io: Pick<Io, 'env' | 'home'>): Readonly<Record<string, string>> {
  const path = credentialsPath(io);
  const text = readIfThere(path);
  if (text === undefined) return {};
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new CliError('usage', `${path} is readable by other users`, { fix: `Run: chmod 600 ${path}` });
  }
  return readYaml(path, text) as Record<string, string>;
}

export function credentialsPath(io: Pick<Io, 'env' | 'home'>): string {
  return join(configDirectory(io), 'credentials.yml');
}

function readYaml(path: string, text: string): Record<string, unknown> {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw usageError(`${path}: ${error.message.split('\n')[0]}`);
  const content = contentOf(path, document);
  if (content === null || content === undefined) return {};
  if (typeof content !== 'object' || Array.isArray(content)) throw usageError(`${path} must contain keys and values`);
  return content as Record<string, unknown>;
}

function contentOf(path: string, document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw usageError(`${path} must not use aliases`);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    // Reading a pipe might never end.
    if (!statSync(path).isFile()) throw usageError(`${path} is not a file`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}
