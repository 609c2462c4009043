import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { createServer, type Socket } from 'node:net';

const REQUEST_IDENTITIES = 11;
const IDENTITIES = 12;
const SIGN = 13;
const SIGNATURE = 14;
const FAILURE = 5;
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface SshAgent {
  /** As programs name the key: `SHA256:` and its digest. */
  readonly fingerprint: string;
  close(): void;
}

/** An SSH agent with one Ed25519 key: what it signs with is in this process. */
export async function startSshAgent(socket: string, seed: Buffer): Promise<SshAgent> {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = Buffer.from(createPublicKey(key).export({ format: 'der', type: 'spki' })).subarray(-32);
  const blob = Buffer.concat([stringOf('ssh-ed25519'), stringOf(publicKey)]);

  function answer(request: Buffer): Buffer {
    if (request[0] === REQUEST_IDENTITIES)
      return Buffer.concat([Buffer.of(IDENTITIES), uint32(1), stringOf(blob), stringOf('witness')]);
    if (request[0] !== SIGN) return Buffer.of(FAILURE);
    const data = stringAt(request, 1 + stringOf(stringAt(request, 1)).length);
    const signature = Buffer.concat([stringOf('ssh-ed25519'), stringOf(Buffer.from(sign(null, data, key)))]);
    return Buffer.concat([Buffer.of(SIGNATURE), stringOf(signature)]);
  }

  const server = createServer((connection: Socket) => {
    let received = Buffer.alloc(0);
    connection.on('data', (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const request = stringAt(received, 0);
        received = received.subarray(4 + request.length);
        connection.write(stringOf(answer(request)));
      }
    });
    connection.on('error', () => connection.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return { fingerprint: `SHA256:${digest}`, close: () => server.close() };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function stringOf(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function stringAt(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at));
}
