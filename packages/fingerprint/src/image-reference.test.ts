import { describe, expect, it } from 'vitest';
import { ImageReferenceError, parseImageReference } from './image-reference.ts';

const HEX = '0123456789abcdef'.repeat(4);
const HUB = { registry: 'docker.io', host: 'registry-1.docker.io' };

describe('reads', () => {
  it.each([
    ['alpine', { ...HUB, repository: 'library/alpine', tag: 'latest', digest: null }],
    ['acme/web', { ...HUB, repository: 'acme/web', tag: 'latest', digest: null }],
    ['docker.io/alpine:3', { ...HUB, repository: 'library/alpine', tag: '3', digest: null }],
    ['index.docker.io/acme/web:3', { ...HUB, repository: 'acme/web', tag: '3', digest: null }],
    ['docker://alpine', { ...HUB, repository: 'library/alpine', tag: 'latest', digest: null }],
    ['oci://ghcr.io/acme/web:1.9.1', ghcr({ tag: '1.9.1' })],
    ['ghcr.io/acme/web', ghcr({ tag: 'latest' })],
    [`ghcr.io/acme/web@sha256:${HEX}`, ghcr({ digest: HEX })],
    [`ghcr.io/acme/web:1@sha256:${HEX}`, ghcr({ tag: '1', digest: HEX })],
    ['localhost/a', { registry: 'localhost', host: 'localhost', repository: 'a', tag: 'latest', digest: null }],
    ['r:5000/a/b__c:_1', { registry: 'r:5000', host: 'r:5000', repository: 'a/b__c', tag: '_1', digest: null }],
    ['[::1]:5000/a', { registry: '[::1]:5000', host: '[::1]:5000', repository: 'a', tag: 'latest', digest: null }],
    ['localhost:5000', { ...HUB, repository: 'library/localhost', tag: '5000', digest: null }],
  ])('%s', (text, expected) => {
    expect(parseImageReference(text)).toEqual(expected);
  });
});

describe('refuses', () => {
  it.each([
    ['', 'it is empty'],
    ['oci://', 'it is empty'],
    ['https://ghcr.io/acme/web', '"https://" does not belong there'],
    ['oci://docker://a', '"docker://" does not belong there'],
    ['acme web', 'it has white space in it'],
    ['web\n', 'it has white space in it'],
    [`sha256:${HEX}`, 'it is a digest, which does not say where the image is'],
    [HEX, 'it is a digest'],
    ['ghcr.io/', 'the name of the image is missing'],
    ['ghcr.io/acme//web', 'there is nothing between two slashes'],
    ['ghcr.io/acme/', 'there is nothing between two slashes, or after the last one'],
    ['ghcr.io/Acme/web', 'names are in lower case, and "Acme" is not'],
    ['ghcr.io/../web', '".." may have lower case letters'],
    ['ghcr.io/a%2fb', '"a%2fb" may have lower case letters'],
    ['ghcr.io/web?x', '"web?x" may have lower case letters'],
    ['ghcr.io/web:', 'the tag "" may have 1 to 128'],
    ['ghcr.io/web:-1', 'the tag "-1" may have 1 to 128'],
    [`ghcr.io/web:${'1'.repeat(129)}`, 'may have 1 to 128'],
    ['ghcr.io/web@', 'what follows "@" is "sha256:"'],
    ['ghcr.io/web@sha256:12', 'what follows "@" is "sha256:"'],
    [`ghcr.io/web@sha512:${HEX}${HEX}`, 'what follows "@" is "sha256:"'],
    [`ghcr.io/web@sha256:${HEX.toUpperCase()}`, 'what follows "@" is "sha256:"'],
    ['user@ghcr.io/web', 'what follows "@"'],
    ['ghcr.io:99999/web', '"ghcr.io:99999" is not a host with an optional port'],
    ['-.io/web', '"-.io" is not a host'],
    ['[::g]/web', '"[::g]" is not a host'],
    ['999.1.1.1/web', '"999.1.1.1" is not a host'],
    [`ghcr.io/${'a'.repeat(300)}`, 'its name is longer than 255 characters'],
    ['a'.repeat(2000), 'it is longer than 1000 characters'],
  ])('%j', (text, why) => {
    expect(() => parseImageReference(text)).toThrow(ImageReferenceError);
    expect(() => parseImageReference(text)).toThrow(why);
  });
});

it('quotes the input without control characters, and shortens it', () => {
  expect(() => parseImageReference('\u001b[2Jweb')).toThrow(/^"\\u001b\[2Jweb" is not an image reference: /);
  expect(() => parseImageReference('a'.repeat(2000))).toThrow(/^"a{200}…" is not/);
});

function ghcr(rest: { readonly tag?: string; readonly digest?: string }) {
  return { registry: 'ghcr.io', host: 'ghcr.io', repository: 'acme/web', tag: null, digest: null, ...rest };
}
