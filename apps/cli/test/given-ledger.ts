import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  appendLeaves,
  COSIGNATURE,
  cosign,
  ED25519,
  EMPTY_EDGE,
  encodeEntries,
  formatCheckpoint,
  formatNote,
  formatRegionLeaf,
  formatVerifierKey,
  leafHashOf,
  orgLogOrigin,
  parseTilePath,
  type RegionLeaf,
  regionOrigin,
  rootOfEdge,
  signerOf,
  signingKey,
  signNote,
  TILE_WIDTH,
} from '@waymark/transparency';
import { afterAll } from 'vitest';

const NAME = 'waymark.example/eu';
const LOG_ID = '0190b1f0-0000-4000-8000-00000000000a';
const WITNESSES = ['alpha', 'beta'];

const utf8 = (text: string) => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The leaves of a log. Tests rewrite them as a dishonest operator would. */
export interface GivenLog {
  leaves: Uint8Array[];
}

/** A service that serves one org's ledger, and signs whatever its leaves are. */
export interface GivenLedger {
  readonly host: string;
  readonly org: GivenLog;
  /** Those of each epoch. */
  readonly regions: Map<number, GivenLog>;
  /** The newest that the service admits. */
  current: number;
  cosigning: string[];
  /** Answers everything with 503. */
  isDown: boolean;
  readonly reasons: Map<number, string>;
  /** The text of a policy that accepts an epoch and requires both witnesses. A key is in a policy once. */
  policy(epoch: number): Promise<string>;
  /** Records entries, and announces the new head in the region log. */
  record(count: number): void;
  announce(leaf: RegionLeaf): void;
  /** Begins an epoch whose first leaf names an earlier checkpoint. */
  beginEpoch(epoch: number, previous: { size: number; root: string }, reason: string): void;
  head(log: GivenLog): { size: number; root: string };
}

export async function givenLedger(): Promise<GivenLedger> {
  const seed = (number: number) => new Uint8Array(32).fill(number);
  let recorded = 0;
  const ledger: GivenLedger = {
    host: '',
    org: { leaves: [] },
    regions: new Map([[1, { leaves: [] }]]),
    current: 1,
    cosigning: [...WITNESSES],
    isDown: false,
    reasons: new Map(),
    async policy(epoch) {
      const log = await signingKey(regionOrigin(NAME, epoch), ED25519, seed(1));
      const witnesses = WITNESSES.map(async (name, i) => {
        const key = await signingKey(`${name}.example/w`, COSIGNATURE, seed(100 + i));
        return `witness ${name} ${formatVerifierKey(key)}`;
      });
      const lines = await Promise.all(witnesses);
      return `log ${formatVerifierKey(log)}\n${lines.join('\n')}\ngroup both all ${WITNESSES.join(' ')}\nquorum both\n`;
    },
    record(count) {
      for (let i = 0; i < count; i++) ledger.org.leaves.push(utf8(`{"entry":${recorded++}}`));
      ledger.announce({ kind: 'org', log: LOG_ID, ...ledger.head(ledger.org) });
    },
    announce(leaf) {
      ledger.regions.get(ledger.current)?.leaves.push(utf8(formatRegionLeaf(leaf)));
    },
    beginEpoch(epoch, previous, reason) {
      ledger.reasons.set(epoch, reason);
      ledger.regions.set(epoch, { leaves: [] });
      const origin = regionOrigin(NAME, ledger.current);
      ledger.current = epoch;
      ledger.announce({ kind: 'epoch', epoch, previous: { origin, ...previous }, reason });
      ledger.announce({ kind: 'org', log: LOG_ID, ...ledger.head(ledger.org) });
    },
    head: ({ leaves }) => ({ size: leaves.length, root: hex(rootOf(leaves)) }),
  };
  const server = createServer(({ url = '' }, response) => {
    answer(ledger, decodeURIComponent(url.replace('/api/v2', '')), response, seed).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return Object.assign(ledger, { host: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function answer(
  ledger: GivenLedger,
  path: string,
  response: ServerResponse,
  seed: (number: number) => Uint8Array,
): Promise<void> {
  const json = (body: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const missing = () => response.writeHead(404).end('{"message":"There is none"}');
  if (ledger.isDown) return void response.writeHead(503).end('{"message":"Down"}');
  if (path === '/region-log') return void json(regionLogs(ledger));
  if (path === '/ledger/acme') return void json(status(ledger));
  const [, epoch, rest = ''] = /^\/region-log\/(\d+)\/(.*)$/.exec(path) ?? [];
  const log = epoch === undefined ? ledger.org : ledger.regions.get(Number(epoch));
  const below = epoch === undefined ? path.replace('/ledger/acme/', '') : rest;
  if (!log) return void missing();
  if (below !== 'checkpoint') {
    const bytes = fileOf(log, below);
    return bytes ? void response.writeHead(200).end(bytes) : void missing();
  }
  const region = regionOrigin(NAME, Number(epoch ?? ledger.current));
  const origin = epoch === undefined ? orgLogOrigin(region, LOG_ID) : region;
  const text = formatCheckpoint({ origin, size: log.leaves.length, root: rootOf(log.leaves), extensions: [] });
  const key = await signingKey(origin, ED25519, seed(1));
  const cosignatures = WITNESSES.entries()
    .filter(([, name]) => epoch !== undefined && ledger.cosigning.includes(name))
    .map(async ([i, name]) => {
      const witness = await signingKey(`${name}.example/w`, COSIGNATURE, seed(100 + i));
      return cosign(text, signerOf(witness), 1_795_000_000 + i);
    });
  const signatures = [await signNote(text, signerOf(key)), ...(await Promise.all(cosignatures))];
  response.writeHead(200, { 'content-type': 'text/plain' }).end(formatNote({ text, signatures }));
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  return rootOfEdge(
    appendLeaves(
      EMPTY_EDGE,
      leaves.map((leaf) => leafHashOf(leaf)),
    ).edge,
  );
}

/** As the server does: a partial file exists in its current width only. */
function fileOf({ leaves }: GivenLog, path: string): Uint8Array | undefined {
  const resource = parseTilePath(path);
  const first = resource.index * TILE_WIDTH;
  const level = resource.kind === 'tile' ? resource.level : 0;
  let hashes: Uint8Array[] = leaves.map((leaf) => leafHashOf(leaf));
  for (let height = 0; height < level; height++) {
    const below = hashes;
    const complete = Math.floor(below.length / TILE_WIDTH);
    hashes = Array.from({ length: complete }, (_, i) =>
      rootOfEdge(appendLeaves(EMPTY_EDGE, below.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)).edge),
    );
  }
  const found = hashes.slice(first, first + TILE_WIDTH);
  if (found.length !== resource.width) return undefined;
  return resource.kind === 'tile' ? Buffer.concat(found) : encodeEntries(leaves.slice(first, first + TILE_WIDTH));
}

function epochsOf({ regions, reasons, current }: GivenLedger) {
  return [...regions]
    .filter(([epoch]) => epoch <= current)
    .map(([epoch, { leaves }]) => ({
      ...{ epoch, origin: regionOrigin(NAME, epoch), began_at: 1_795_000_000, size: leaves.length },
      reason: reasons.get(epoch) ?? null,
    }))
    .toReversed();
}

function regionLogs(ledger: GivenLedger): object {
  const epochs = epochsOf(ledger).map((epoch) => ({ ...epoch, verifier_keys: [] }));
  return { name: NAME, current: ledger.current, epochs };
}

function status(ledger: GivenLedger): object {
  const { current, org } = ledger;
  return {
    log_id: LOG_ID,
    origin: orgLogOrigin(regionOrigin(NAME, current), LOG_ID),
    ...ledger.head(org),
    ...{ entries_waiting: 0, state: 'signed', reason: null, epoch: current, verifier_keys: [], region: null },
    ...{ witnesses: [], time_stamp: null, epochs: epochsOf(ledger), last_check: null, growth: [] },
  };
}
