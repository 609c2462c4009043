import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readFindings } from './findings.ts';
import { givenTar, givenTgz, paxRecord } from './given/archive.ts';
import { verifyInToto } from './in-toto.ts';
import { readJunit } from './junit.ts';
import { readSbom } from './sbom.ts';
import { Unreadable } from './unreadable.ts';

const MIB = 1024 * 1024;
const NO_TRUST = { keys: [], identities: [] };

interface Hostile {
  it: string;
  bytes: () => Uint8Array;
  message: string;
}

function expectRefusal(read: () => unknown, message: string): void {
  const started = process.threadCpuUsage();
  let thrown: unknown;
  try {
    read();
  } catch (error) {
    thrown = error;
  }
  const { user, system } = process.threadCpuUsage(started);
  expect(thrown).toBeInstanceOf(Unreadable);
  expect((thrown as Error).message).toContain(message);
  expect((user + system) / 1000).toBeLessThan(1000);
}

const bytesOf = (text: string) => () => Buffer.from(text);

/** Each entity holds the one before it ten times. */
const billionLaughs = `<?xml version="1.0"?><!DOCTYPE testsuites [<!ENTITY l0 "lol">${Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
).join('')}]><testsuites name="&l9;"/>`;

const xml: Hostile[] = [
  { it: 'a billion laughs', bytes: bytesOf(billionLaughs), message: 'a DOCTYPE is not accepted' },
  {
    it: 'an external entity',
    bytes: bytesOf('<!DOCTYPE testsuites [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuites name="&x;"/>'),
    message: 'a DOCTYPE is not accepted',
  },
  {
    it: 'an external subset',
    bytes: bytesOf('<!DOCTYPE x SYSTEM "http://example.com/x.dtd"><testsuite/>'),
    message: 'has a DOCTYPE',
  },
  { it: 'an unknown entity', bytes: bytesOf('<testsuite name="&x;"/>'), message: 'undefined entity' },
  {
    it: '20,000 nested tags',
    bytes: () => Buffer.from(`<testsuite>${'<a>'.repeat(20_000)}`),
    message: 'nested deeper than 64',
  },
  {
    it: '20,000 nested suites',
    bytes: () => Buffer.from('<testsuite>'.repeat(20_000)),
    message: 'nested deeper than 64',
  },
  {
    it: 'too many suites',
    bytes: () => Buffer.from(`<testsuites>${'<testsuite/>'.repeat(20_001)}`),
    message: 'more than 20000 test suites',
  },
  { it: 'more than 10 MiB', bytes: () => Buffer.alloc(10 * MIB + 1, ' '), message: 'is larger than 10 MiB' },
  { it: 'invalid UTF-8', bytes: () => Buffer.from('<testsuite name="\xff"/>', 'latin1'), message: 'is not UTF-8' },
  { it: 'UTF-16', bytes: () => Buffer.from('\ufeff<testsuite/>', 'utf16le'), message: 'is not UTF-8' },
  { it: 'a NUL', bytes: bytesOf('<testsuite name="\u0000"/>'), message: 'disallowed character' },
  { it: 'a count that is none', bytes: bytesOf('<testsuite failures="NaN"/>'), message: 'not a count: "NaN"' },
  { it: 'a huge count', bytes: bytesOf(`<testsuite tests="${'9'.repeat(400)}"/>`), message: 'not a count' },
  { it: 'a negative count', bytes: bytesOf('<testsuite errors="-5"/>'), message: 'not a count: "-5"' },
  {
    it: 'an attribute twice',
    bytes: bytesOf('<testsuite failures="1" failures="0"/>'),
    message: 'duplicate attribute',
  },
  {
    it: 'two roots',
    bytes: bytesOf('<testsuite/><testsuite failures="1"/>'),
    message: 'documents may contain only one root',
  },
];

const json: Hostile[] = [
  { it: '100,000 brackets', bytes: () => Buffer.from('['.repeat(100_000)), message: 'nested deeper than 64' },
  { it: '100,000 objects', bytes: () => Buffer.from('{"a":'.repeat(100_000)), message: 'nested deeper than 64' },
  { it: 'more than 10 MiB', bytes: () => Buffer.alloc(10 * MIB + 1, ' '), message: 'is larger than 10 MiB' },
  { it: 'invalid UTF-8', bytes: () => Buffer.from('{"a":"\xff"}', 'latin1'), message: 'is not UTF-8' },
  { it: 'a string without an end', bytes: () => Buffer.from(`{"${'\\"'.repeat(MIB)}`), message: 'is not JSON' },
  { it: 'backslashes', bytes: () => Buffer.from(`{"${'\\'.repeat(2 * MIB)}`), message: 'is not JSON' },
  { it: 'a key twice', bytes: bytesOf('{"runs":[],"runs":[]}'), message: 'has the key "runs" twice' },
  {
    it: 'too many keys',
    bytes: () => Buffer.from(`{${Array.from({ length: 50_001 }, (_, index) => `"k${index}":1`).join(',')}}`),
    message: 'more than 50000 keys',
  },
  { it: 'an empty file', bytes: () => Buffer.alloc(0), message: 'is not JSON' },
  { it: 'NaN', bytes: bytesOf('{"version":NaN}'), message: 'is not JSON' },
];

const archives: Hostile[] = [
  { it: 'a bomb', bytes: () => gzipSync(Buffer.alloc(60 * MIB)), message: 'unpacks to more than 50 MiB' },
  {
    it: 'zeros just below the bound',
    bytes: () => gzipSync(Buffer.alloc(49 * MIB)),
    message: 'contains no',
  },
  {
    it: 'one large file',
    bytes: () => givenTgz(['a.xml', 'a.json'].map((path) => ({ path, content: Buffer.alloc(11 * MIB, ' ') }))),
    message: 'is larger than 10 MiB',
  },
  { it: 'a path upwards', bytes: () => givenTgz([{ path: '../../a.xml' }]), message: '"../../a.xml" leads out' },
  {
    it: 'a path upwards in a pax header',
    bytes: () => givenTgz([{ path: 'h', type: 'x', content: paxRecord('path', 'a/../../b.xml') }, { path: 'b.xml' }]),
    message: '"a/../../b.xml" leads out',
  },
  { it: 'a link', bytes: () => givenTgz([{ path: 'a.xml', type: '2' }]), message: '"a.xml" is a link' },
  {
    it: 'many entries',
    bytes: () => givenTgz(Array.from({ length: 2001 }, (_, index) => ({ path: `${index}` }))),
    message: 'more than 2000 entries',
  },
  {
    it: 'a cut gzip',
    bytes: () => givenTgz([{ path: 'a.xml', content: '<testsuite/>' }]).subarray(0, 60),
    message: 'damaged or cut short',
  },
  { it: 'two bytes of gzip', bytes: () => Buffer.from([0x1f, 0x8b]), message: 'damaged or cut short' },
  { it: 'gzip without tar', bytes: () => gzipSync('<testsuite/>'), message: 'the tar archive is cut short' },
  {
    it: 'an archive in the archive',
    bytes: () => gzipSync(gzipSync(givenTar([{ path: 'a.xml' }]))),
    message: 'the tar archive is cut short',
  },
  {
    it: 'a header that claims a huge size',
    bytes: () => givenTgz([{ path: 'a.xml', size: 0o77777777777 }]),
    message: '"a.xml" is cut short',
  },
];

describe('a JUnit report is refused within a second that is', () => {
  it.each([...xml, ...archives])('$it', ({ bytes, message }) => {
    const file = { name: 'f', bytes: bytes() };
    expectRefusal(() => readJunit(file), message);
  });
});

describe('findings are refused within a second that are', () => {
  const many = [
    {
      it: '300,000 wrong results',
      bytes: () =>
        Buffer.from(
          `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[${'{},'.repeat(300_000)}{}]}]}`,
        ),
      message: 'runs[0].results[0].message',
    },
    {
      it: '300,000 wrong suppressions',
      bytes: () =>
        Buffer.from(
          `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{"message":{},"suppressions":[${'1,'.repeat(300_000)}1]}]}]}`,
        ),
      message: 'runs[0].results[0].suppressions[0]',
    },
    {
      it: '300,000 wrong results of Trivy',
      bytes: () => Buffer.from(`{"SchemaVersion":2,"Results":[${'{},'.repeat(300_000)}{}]}`),
      message: 'Results[0].Target',
    },
    {
      it: '300,000 wrong leaks',
      bytes: () => Buffer.from(`[{"RuleID":"a","Secret":"b"},${'{},'.repeat(300_000)}{}]`),
      message: '[1].RuleID',
    },
    {
      it: 'members of a prototype',
      bytes: bytesOf('{"__proto__":{"vulnerabilities":[]}}'),
      message: 'is neither SARIF',
    },
  ];
  it.each([...json, ...archives, ...many])('$it', ({ bytes, message }) => {
    const file = { name: 'f', bytes: bytes() };
    expectRefusal(() => readFindings(file), message);
  });
});

describe('an SBOM is refused within a second that is', () => {
  const xml = (inside: string) => `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${inside}</bom>`;
  const many = [
    {
      it: 'too many components',
      bytes: () =>
        Buffer.from(
          `{"bomFormat":"CycloneDX","specVersion":"1.6","components":[${'{"type":"file","name":"a"},'.repeat(100_000)}{}]}`,
        ),
      message: 'more than 100000 components',
    },
    {
      it: '90,000 wrong components',
      bytes: () =>
        Buffer.from(`{"bomFormat":"CycloneDX","specVersion":"1.6","components":[${'{},'.repeat(90_000)}{}]}`),
      message: 'components[0].type',
    },
    {
      it: 'XML with too many components',
      bytes: () =>
        Buffer.from(xml(`<components>${'<component><name>a</name></component>'.repeat(100_001)}</components>`)),
      message: 'more than 100000 components',
    },
    { it: 'deep XML', bytes: () => Buffer.from(xml('<a>'.repeat(100_000))), message: 'nested deeper than 64 levels' },
    {
      it: 'XML with entities that grow',
      bytes: bytesOf(`<!DOCTYPE bom [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${xml('&b;')}`),
      message: 'a DOCTYPE is not accepted',
    },
    {
      it: 'XML with a long name',
      bytes: () =>
        Buffer.from(xml(`<components><component><name>${'a'.repeat(5 * MIB)}</name></component></components>`)),
      message: 'is longer than 5000 characters',
    },
    {
      it: 'a huge version',
      bytes: bytesOf('{"bomFormat":"CycloneDX","specVersion":"1.6","version":1e999}'),
      message: 'version: ',
    },
    {
      it: 'members of a prototype',
      bytes: bytesOf('{"__proto__":{"bomFormat":"CycloneDX","specVersion":"1.6"}}'),
      message: 'is neither CycloneDX',
    },
  ];
  it.each([...json, ...archives, ...many])('$it', ({ bytes, message }) => {
    const file = { name: 'f', bytes: bytes() };
    expectRefusal(() => readSbom(file), message);
  });
});

describe('an attestation is refused within a second that is', () => {
  const envelope = (payload: string, signatures = '[{"sig":"AAAA"}]') =>
    `{"payloadType":"application/vnd.in-toto+json","payload":"${Buffer.from(payload).toString('base64')}","signatures":${signatures}}`;
  const many = [
    {
      it: 'a deep payload',
      bytes: bytesOf(envelope('['.repeat(100_000))),
      message: 'payload: line 1, column 65: is nested deeper',
    },
    {
      it: '300,000 signatures',
      bytes: () => Buffer.from(envelope('{}', `[${'{},'.repeat(300_000)}{}]`)),
      message: 'contains more than 16 signatures',
    },
    {
      it: '300,000 subjects',
      bytes: () =>
        Buffer.from(
          envelope(
            `{"_type":"https://in-toto.io/Statement/v1","predicateType":"p","subject":[${'{},'.repeat(300_000)}{}]}`,
          ),
        ),
      message: 'payload: subject[0].digest',
    },
    {
      it: 'members of a prototype',
      bytes: bytesOf(`{"__proto__":${envelope('{}')}}`),
      message: 'is neither a DSSE envelope',
    },
    { it: 'gzip', bytes: () => givenTgz([]), message: 'is not UTF-8' },
  ];
  it.each([...json, ...many])('$it', ({ bytes, message }) => {
    const file = { bytes: bytes() };
    expectRefusal(() => verifyInToto(file, NO_TRUST, 'a'.repeat(64)), message);
  });
});

describe('large but honest input is read in seconds', () => {
  it('100,000 components', () => {
    const component =
      '{"type":"library","name":"a","version":"1","purl":"pkg:npm/a@1","licenses":[{"license":{"id":"MIT"}}]}';
    const text = `{"bomFormat":"CycloneDX","specVersion":"1.6","components":[${`${component},`.repeat(99_999)}${component}]}`;
    expect(readSbom({ name: 'f', bytes: Buffer.from(text) }).components).toHaveLength(100_000);
  });

  it('200,000 test cases, and not one more', () => {
    const report = (count: number) => Buffer.from(`<testsuite>${'<testcase name="a"/>'.repeat(count)}</testsuite>`);
    expect(readJunit({ name: 'f', bytes: report(200_000) }).total).toBe(200_000);
    expect(() => readJunit({ name: 'f', bytes: report(200_001) })).toThrow('more than 200000 test cases');
  });
});
