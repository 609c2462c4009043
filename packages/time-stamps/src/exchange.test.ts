import { afterAll, expect, it } from 'vitest';
import { openAuthority } from '../test/authority.ts';
import { createRequest, openResponse } from './exchange.ts';
import { parseRoots } from './pem.ts';
import { timeStampVerifier } from './verifier.ts';

const authority = await openAuthority();
afterAll(() => authority.close());

const root = await authority.root();
const pem = await authority.read(root.certificate);
const trust = { roots: parseRoots(pem) };
const signer = await authority.issue(root);
const message = new TextEncoder().encode('a checkpoint\n');

it('a response counts for the request it was made for, as OpenSSL says', async () => {
  const [first, second] = [await createRequest(message), await createRequest(message)];
  expect(first.nonce).not.toBe(second.nonce);
  const response = await authority.reply(first.bytes, signer);
  expect(await openResponse(response, first, trust)).toMatchObject({ nonce: first.nonce });
  expect(await authority.accepts({ response, request: first.bytes, root: root.certificate })).toBe(true);

  await expect(openResponse(response, second, trust)).rejects.toThrow('its nonce differs');
  expect(await authority.accepts({ response, request: second.bytes, root: root.certificate })).toBe(false);

  const other = await createRequest(new TextEncoder().encode('another checkpoint\n'));
  await expect(openResponse(response, other, trust)).rejects.toThrow('the time stamp is over something else');
  expect(await authority.accepts({ response, request: other.bytes, root: root.certificate })).toBe(false);
});

it('a refusal of the authority is told with its reason', async () => {
  const request = await createRequest(message, '1.2.3.4');
  const response = await authority.reply(request.bytes, signer);
  await expect(openResponse(response, request, trust)).rejects.toThrow(
    'the authority rejected the request: the policy is not supported; Requested policy is not supported.',
  );
  expect(await authority.accepts({ response, request: request.bytes, root: root.certificate })).toBe(false);
});

it.each([
  ['nothing', new Uint8Array()],
  ['HTML', new TextEncoder().encode('<html>')],
  ['a status without a token', Uint8Array.of(0x30, 5, 0x30, 3, 2, 1, 0)],
  ['elements in each other without end', Uint8Array.from({ length: 4000 }, () => 0x30)],
  ['too much', new Uint8Array(70_000)],
])('%s is no response', async (_name, response) => {
  const request = await createRequest(message);
  await expect(openResponse(response, request, trust)).rejects.toMatchObject({ name: 'TimeStampError' });
});

it('the verifier takes a file with certificates, and names what is wrong with one', async () => {
  const request = await createRequest(message);
  const { token } = await openResponse(await authority.reply(request.bytes, signer), request, trust);
  expect(await timeStampVerifier(`Our root\n${pem}`)(token, message)).toMatchObject({ authority: 'Test authority' });
  expect(() => timeStampVerifier('no certificate')).toThrow('the file has no certificate in PEM');
  const broken = pem.replace(/\n(.*)\n/, (line) => line.replaceAll('A', 'B'));
  expect(() => timeStampVerifier(broken)).toThrow(/the certificate/);
});
