import { glob, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fingerprintDirectory, fingerprintFile } from '@waymark/fingerprint';
import { parseDocument } from 'yaml';
import { usageError } from '../run/cli-error.ts';
import { plainText, type ReportOf, requireSendable } from './report.ts';

type ServerArtifact = ReportOf<'server'>['artifacts'][number];

/** The base of relative paths. */
interface From {
  readonly cwd: string;
}

interface NamedPath {
  readonly name: string;
  readonly path: string;
  readonly exclude: readonly string[];
}

/** One file or directory, under a name; its absolute path unless given. */
export async function readPath(
  path: string,
  options: From & { readonly name?: string; readonly exclude?: readonly string[] },
): Promise<ReportOf<'server'>> {
  const { cwd, name = resolve(cwd, path), exclude = [] } = options;
  return { type: 'server', artifacts: [await artifactOf({ name, path, exclude }, cwd)] };
}

/** The artifacts that a file names: `version: 1` and `artifacts`, from name to `path` and `exclude`. */
export async function readPaths(pathsFile: string, { cwd }: From): Promise<ReportOf<'server'>> {
  const file = resolve(cwd, pathsFile);
  const artifacts: ServerArtifact[] = [];
  for (const named of pathsIn(pathsFile, await readFile(file, 'utf8'))) artifacts.push(await artifactOf(named, cwd));
  return { type: 'server', artifacts };
}

/** Paths or patterns, each match an artifact under its absolute path. */
export async function readServer(
  patterns: readonly string[],
  { cwd, exclude = [] }: From & { readonly exclude?: readonly string[] },
): Promise<ReportOf<'server'>> {
  const paths = new Set<string>();
  for (const pattern of patterns) for (const path of await matchesOf(pattern, cwd)) paths.add(path);
  requireSendable(paths.size, 'paths', 'Report whole directories instead');
  const artifacts: ServerArtifact[] = [];
  for (const path of [...paths].sort()) artifacts.push(await artifactOf({ name: path, path, exclude }, cwd));
  return { type: 'server', artifacts };
}

/** A pattern without a match is an error: its artifacts would count as stopped. */
async function matchesOf(pattern: string, cwd: string): Promise<string[]> {
  const literal = resolve(cwd, pattern);
  if (await exists(literal)) return [literal];
  const found: string[] = [];
  for await (const match of glob(pattern, { cwd })) found.push(resolve(cwd, match));
  if (found.length === 0) throw usageError(`Nothing matches ${pattern}`);
  return found;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function artifactOf({ name, path, exclude }: NamedPath, cwd: string): Promise<ServerArtifact> {
  requireName(name);
  const absolute = resolve(cwd, path);
  const { mtimeMs, isDirectory } = await described(absolute, path);
  const digest = isDirectory ? await fingerprintDirectory(absolute, { exclude }) : await fingerprintFile(absolute);
  return { digests: Object.fromEntries([[name, digest]]), creationTimestamp: Math.max(0, Math.floor(mtimeMs / 1000)) };
}

async function described(absolute: string, path: string): Promise<{ mtimeMs: number; isDirectory: boolean }> {
  try {
    const stats = await stat(absolute);
    if (!stats.isDirectory() && !stats.isFile()) throw usageError(`${path} is neither a file nor a directory`);
    return { mtimeMs: stats.mtimeMs, isDirectory: stats.isDirectory() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw usageError(`No file or directory at ${path}`);
    throw error;
  }
}

function requireName(name: string): void {
  const rule = nameFault(name);
  if (rule) throw usageError(`The name "${plainText(name, 100)}" ${rule}`, 'Choose another name');
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > 500) return 'is longer than 500 characters';
  if (name === '__proto__') return 'is not allowed';
  return plainText(name, 500) === name ? undefined : 'contains control characters';
}

function pathsIn(file: string, text: string): NamedPath[] {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault) throw usageError(`${file} is not YAML: ${fault.message}`);
  const { version, artifacts, ...others } = membersOf(document.toJS(), `${file}`);
  refuseOthers(others, file);
  if (version !== 1) throw usageError(`${file}: version must be 1`);
  return Object.entries(membersOf(artifacts, `${file}: artifacts`)).map(([name, value]) => {
    const where = `${file}: artifacts.${name}`;
    const { path, exclude, ...others } = membersOf(value, where);
    refuseOthers(others, where);
    if (typeof path !== 'string' || path === '') throw usageError(`${where}.path must be a path`);
    return { name, path, exclude: patternsIn(exclude ?? [], where) };
  });
}

function patternsIn(exclude: unknown, where: string): string[] {
  const isList = Array.isArray(exclude) && exclude.every((pattern) => typeof pattern === 'string' && pattern !== '');
  if (!isList) throw usageError(`${where}.exclude must be a list of patterns`);
  return exclude as string[];
}

function membersOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError(`${where} must be a mapping`);
  return value as Record<string, unknown>;
}

function refuseOthers(others: object, where: string): void {
  const [other] = Object.keys(others);
  if (other !== undefined) throw usageError(`${where} has the unknown key "${other}"`);
}
