import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DOMAIN, NODE_IP, PORTS } from './addresses.ts';
import { KUBE } from './programs.ts';

/**
 * Answers for the names of Services, in place of CoreDNS, which would have to be built as well.
 *
 *   node tools/kubernetes/names.ts FOLDER
 */

const HEADER_BYTES = 12;
const ADDRESS = 1;
const NO_SUCH_NAME = 3;
const TTL_S = 1;

interface Services {
  readonly items: { metadata: { name: string; namespace: string }; spec: { clusterIP?: string } }[];
}

async function findAddress(name: string, folder: string): Promise<string | undefined> {
  const [service, namespace, ...rest] = name.split('.');
  if (rest.join('.') !== `svc.${DOMAIN}`) return undefined;
  const kubeconfig = join(folder, 'admin.kubeconfig');
  const args = [
    'kubectl',
    '--kubeconfig',
    kubeconfig,
    'get',
    'services',
    '--namespace',
    `${namespace}`,
    '--output',
    'json',
  ];
  const { stdout } = await promisify(execFile)(KUBE, args);
  const { items } = JSON.parse(stdout) as Services;
  const address = items.find(({ metadata }) => metadata.name === service)?.spec.clusterIP;
  return address === 'None' ? undefined : address;
}

/** The name in a question, and where the question ends. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeAnswer(query: Buffer, end: number, address: string | undefined, hasRecord: boolean): Buffer {
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8580 | (address === undefined ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(hasRecord ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  if (!hasRecord || address === undefined) return head;
  const record = Buffer.alloc(16);
  // Points to the name in the question.
  record.writeUInt16BE(0xc0_0c, 0);
  record.writeUInt16BE(ADDRESS, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_S, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return Buffer.concat([head, record]);
}

const [, , folder = ''] = process.argv;
const socket = createSocket('udp4');
socket.on('message', (query, { port, address: host }) => {
  const { name, type, end } = readQuestion(query);
  const reply = (address?: string) =>
    socket.send(writeAnswer(query, end, address, address !== undefined && type === ADDRESS), port, host);
  findAddress(name, folder).then(reply, () => reply());
});
socket.bind(PORTS.dns, NODE_IP);
