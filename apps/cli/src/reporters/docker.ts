import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { CliError } from '../run/cli-error.ts';
import type { DockerEndpoint } from './docker-host.ts';
import { digestIn, digestsOf, plainText, type ReportOf, requireSendable } from './report.ts';

interface DockerContainer {
  readonly Id?: string;
  readonly Image?: string;
  readonly ImageID?: string;
  readonly Created?: number;
}

interface DockerImage {
  readonly RepoTags?: readonly string[] | null;
  readonly RepoDigests?: readonly string[] | null;
}

export interface DockerOptions {
  readonly signal?: AbortSignal;
  /** Called with images that no registry knows. */
  readonly onNote?: (note: string) => void;
}

/** What runs on a Docker daemon now. */
export async function readDocker(endpoint: DockerEndpoint, options: DockerOptions = {}): Promise<ReportOf<'docker'>> {
  const containers = await askDocker(endpoint, '/containers/json', options.signal);
  if (!Array.isArray(containers))
    throw new CliError('unavailable', 'The server is not Docker: the response is not a list of containers');
  requireSendable(containers.length, 'containers', 'Split them across several environments');
  const images = new Map<string, DockerImage>();
  const artifacts: ReportOf<'docker'>['artifacts'] = [];
  for (const container of containers as DockerContainer[]) {
    const id = container.ImageID ?? '';
    const image = images.get(id) ?? (await inspectImage(endpoint, id, options.signal));
    if (!images.has(id)) noteUnpushed(container, image, options.onNote);
    images.set(id, image);
    artifacts.push({
      digests: digestsOf([identityOf(container, image)]),
      creationTimestamp: Math.max(0, Math.floor(container.Created ?? 0)),
    });
  }
  return { type: 'docker', artifacts };
}

/** An image can be removed by force while its containers run. */
async function inspectImage(
  endpoint: DockerEndpoint,
  id: string,
  signal: AbortSignal | undefined,
): Promise<DockerImage> {
  if (id === '') return {};
  return ((await askDocker(endpoint, `/images/${encodeURIComponent(id)}/json`, signal)) ?? {}) as DockerImage;
}

/**
 * A Docker report must identify each container. An image that no registry knows has no digest there, but an id, which
 * is a digest of it all the same.
 */
function identityOf(container: DockerContainer, image: DockerImage): [string, string] {
  const name = nameOf(container, image);
  return [name, digestIn(repoDigestOf(name, image)) || digestIn(container.ImageID)];
}

function noteUnpushed(container: DockerContainer, image: DockerImage, onNote: DockerOptions['onNote']): void {
  const name = nameOf(container, image);
  if (repoDigestOf(name, image) !== undefined) return;
  onNote?.(`${plainText(name, 500)} was never pushed to or pulled from a registry, so it is reported by its image id`);
}

/** A container whose tag has since moved to another image is listed by its own image id. */
function nameOf({ Image = '', ImageID = '' }: DockerContainer, { RepoTags, RepoDigests }: DockerImage): string {
  const isId = Image === '' || /^(sha256:)?[a-f0-9]{12,64}$/.test(Image);
  if (!isId) return Image;
  return (
    [...(RepoTags ?? [])].sort()[0] ?? [...(RepoDigests ?? [])].sort()[0]?.replace(/@.*/s, '') ?? (Image || ImageID)
  );
}

/** An image that was pushed to several registries has a digest for each; the one of its own name counts. */
function repoDigestOf(name: string, { RepoDigests }: DockerImage): string | undefined {
  const digests = [...(RepoDigests ?? [])].filter((text) => digestIn(text) !== '').sort();
  return digests.find((text) => repositoryOf(text) === repositoryOf(name)) ?? digests[0];
}

function repositoryOf(reference: string): string {
  return reference
    .replace(/@.*$/s, '')
    .replace(/:[^/:]*$/, '')
    .replace(/^(docker\.io\/)?(library\/)?/, '');
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Returns the response, or undefined for a 404. */
async function askDocker(endpoint: DockerEndpoint, path: string, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    const answer = await send(endpoint, path, signal);
    const text = await textOf(answer);
    if (answer.statusCode === 404) return undefined;
    if (answer.statusCode === 200) return JSON.parse(text) as unknown;
    throw new CliError('unavailable', `Docker responded with ${answer.statusCode}`, { why: plainText(text, 300) });
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof CliError) throw cause;
    throw unreachable(endpoint, cause);
  }
}

function send(endpoint: DockerEndpoint, path: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { tls, ...at } = 'tls' in endpoint ? endpoint : { ...endpoint, tls: undefined };
  const sent = (tls ? secureRequest : plainRequest)({
    ...at,
    ...tls,
    path,
    agent: false,
    timeout: 30_000,
    headers: { accept: 'application/json' },
    ...(signal && { signal }),
  });
  sent.on('timeout', () => sent.destroy(new Error('no data for 30 seconds')));
  sent.on('response', resolve);
  sent.on('error', reject);
  sent.end();
  return promise;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw new CliError('unavailable', `The response of Docker exceeds ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function unreachable(endpoint: DockerEndpoint, cause: unknown): CliError {
  const where = 'socketPath' in endpoint ? endpoint.socketPath : `${endpoint.host}:${endpoint.port}`;
  const code = (cause as NodeJS.ErrnoException).code;
  return new CliError('unavailable', `Docker cannot be reached at ${where}`, {
    why: cause instanceof Error ? cause.message || (code ?? '') : String(cause),
    fix:
      code === 'EACCES'
        ? 'Permission denied: join the group of the socket, or run as root'
        : 'Check that Docker is running, and check DOCKER_HOST',
    cause,
  });
}
