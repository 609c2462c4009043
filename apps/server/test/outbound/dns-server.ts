import { createSocket, type Socket as Udp } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { afterAll } from 'vitest';

/** Addresses, of which a name is an alias; or a way not to answer. */
export type Answer = readonly string[] | 'nxdomain' | 'servfail' | 'no-answer' | 'garbage';

export interface Entry {
  /** One per query for a type of record; the last one repeats. */
  readonly answers: readonly Answer[];
  /** In place of the answers to queries of one type. */
  readonly only?: Partial<Record<RecordType, Answer>>;
  readonly delayMs?: number;
  /** Answers over UDP are marked as truncated. */
  readonly truncated?: boolean;
  readonly ttl?: number;
}

export interface Question {
  readonly name: string;
  readonly type: RecordType;
  readonly by: 'udp' | 'tcp';
}

export interface DnsServer {
  /** In the form that resolvers need, with the port. */
  readonly address: string;
  readonly questions: Question[];
  /** Names in lower case. Others get the answer for unknown names. */
  readonly entries: Map<string, Entry>;
  unknown: Answer;
  /** Forgets earlier queries, and starts again with the first answers. */
  reset(): void;
}

type RecordType = 'A' | 'AAAA' | 'CNAME' | 'other';

const typeNumbers = { A: 1, AAAA: 28, CNAME: 5, other: 0 } as const;
const recursive = 0x8180;
const truncatedFlag = 0x0200;
const failureCodes = { servfail: 2, nxdomain: 3 } as const;

/** A DNS server on loopback, by UDP and TCP, until the tests of the file have ended. */
export async function startDnsServer(): Promise<DnsServer> {
  const tcp = createServer();
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');

  const asked = new Map<string, number>();
  const server: DnsServer = {
    address: `127.0.0.1:${port}`,
    questions: [],
    entries: new Map(),
    unknown: 'nxdomain',
    reset() {
      asked.clear();
      server.questions.length = 0;
      server.entries.clear();
    },
  };
  const next = (name: string, type: RecordType): Answer => {
    const entry = server.entries.get(name);
    const only = entry?.only?.[type];
    if (only !== undefined || !entry) return only ?? server.unknown;
    const key = `${type} ${name}`;
    const turn = asked.get(key) ?? 0;
    asked.set(key, turn + 1);
    return entry.answers[Math.min(turn, entry.answers.length - 1)] ?? [];
  };
  serveUdp(udp, server, next);
  tcp.on('connection', (socket) => serveTcp(socket, server, next));
  afterAll(() => {
    udp.close();
    tcp.close();
  });
  return server;
}

type Next = (name: string, type: RecordType) => Answer;

function serveUdp(udp: Udp, server: DnsServer, next: Next): void {
  udp.on('message', (query, sender) => {
    void replyTo(query, 'udp', server, next).then((reply) => {
      if (reply) udp.send(reply, sender.port, sender.address);
    });
  });
}

/** Resolvers send a query in one piece. */
function serveTcp(socket: Socket, server: DnsServer, next: Next): void {
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    void replyTo(data.subarray(2), 'tcp', server, next).then((reply) => {
      if (reply) socket.end(Buffer.concat([short(reply.length), reply]));
    });
  });
}

async function replyTo(query: Buffer, by: 'udp' | 'tcp', server: DnsServer, next: Next): Promise<Buffer | undefined> {
  const { name, type, bytes } = questionIn(query);
  server.questions.push({ name, type, by });
  const { delayMs = 0, truncated = false, ttl = 0 } = server.entries.get(name) ?? {};
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));

  const id = query.subarray(0, 2);
  const reply = (flags: number, records: readonly Buffer[]) =>
    Buffer.concat([id, short(flags), short(1), short(records.length), short(0), short(0), bytes, ...records]);
  if (truncated && by === 'udp') return reply(recursive | truncatedFlag, []);
  const answer = next(name, type);
  if (answer === 'no-answer') return undefined;
  if (answer === 'garbage') return Buffer.concat([id, Buffer.from('no message at all')]);
  if (typeof answer === 'string') return reply(recursive | failureCodes[answer], []);
  return reply(recursive, recordsFor(name, type, answer, ttl, next));
}

/** As a recursive resolver answers: the aliases in order, and then the records of the last one. */
function recordsFor(name: string, type: RecordType, answer: Answer, ttl: number, next: Next, depth = 0): Buffer[] {
  if (typeof answer === 'string' || depth > 20) return [];
  const alias = answer.find((item) => !isIP(withoutZone(item)))?.toLowerCase();
  if (alias !== undefined) {
    const record = recordOf(name, 'CNAME', encodedName(alias), ttl);
    return type === 'CNAME' ? [record] : [record, ...recordsFor(alias, type, next(alias, type), ttl, next, depth + 1)];
  }
  const version = type === 'A' ? 4 : type === 'AAAA' ? 6 : undefined;
  return answer
    .map(withoutZone)
    .filter((address) => isIP(address) === version)
    .map((address) => recordOf(name, type, Buffer.from(ipaddr.parse(address).toByteArray()), ttl));
}

function recordOf(name: string, type: RecordType, data: Buffer, ttl: number): Buffer {
  const fixed = [short(typeNumbers[type]), short(1), short(0), short(ttl), short(data.length)];
  return Buffer.concat([encodedName(name), ...fixed, data]);
}

function questionIn(query: Buffer): { name: string; type: RecordType; bytes: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  const number = query.readUInt16BE(at + 1);
  const type = (['A', 'AAAA', 'CNAME'] as const).find((each) => typeNumbers[each] === number) ?? 'other';
  return { name: labels.join('.').toLowerCase(), type, bytes: query.subarray(12, at + 5) };
}

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** A record cannot hold a zone. */
function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

function short(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
