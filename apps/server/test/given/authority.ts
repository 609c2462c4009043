import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { type Issued, openAuthority } from '../../../../packages/time-stamps/test/authority.ts';

export type Answer = (request: Uint8Array, response: ServerResponse) => Promise<void> | void;

/** A local authority for time stamps behind HTTP. What it signs is made by `openssl ts`. */
export async function givenAuthority() {
  const authority = await openAuthority();
  const root = await authority.root();
  const signer = await authority.issue(root);
  const proper: Answer = async (request, response) => stamp(request, response, signer);
  let answer = proper;

  async function stamp(request: Uint8Array, response: ServerResponse, by: Issued): Promise<void> {
    const reply = await authority.reply(request, by);
    response.setHeader('content-type', 'application/timestamp-reply').end(reply);
  }

  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    buffer(request)
      .then((body) => answer(body, response))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await authority.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    roots: await authority.read(root.certificate),
    authority,
    root,
    signer,
    stamp,
    /** Answers in another way than it should, or properly again. */
    answers(other: Answer = proper) {
      answer = other;
    },
  };
}
