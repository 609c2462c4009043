import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthOf, IN_PROPORTION } from '../../../../tools/growth.ts';
import { recognise, recogniseChosen } from './recognise.ts';

const of = (text: string | Uint8Array) => recognise({ name: 'f', content: Buffer.from(text as string) });

describe('recognise', () => {
  it.each([
    ['<testsuite/>', 'junit'],
    ['\ufeff<?xml version="1.0"?>\n<!-- a > b -->\n<testsuites>', 'junit'],
    ['<!DOCTYPE testsuites [<!ENTITY a "b>">]><testsuites/>', 'damaged'],
    ['<!DOCTYPE x><testsuites/>', 'damaged'],
    ['<!-- <!DOCTYPE x> --><testsuites/>', 'junit'],
    ['<x:testsuites xmlns:x="urn:x"/>', 'damaged'],
    ['<x:testsuite/>', 'damaged'],
    ['<x:coverage line-rate="1"/>', 'damaged'],
    ['<x:other/>', 'unknown'],
    ['<coverage line-rate="0.5" lines-covered="1" lines-valid="2"></coverage>', 'coverage'],
    ['<coverage line-rate="0.5"><line number="1" hits="3"/><line number="2" hits="0"/></coverage>', 'coverage'],
    ['<coverage line-rate="0.5"><line number="1" hits="3"/>', 'damaged'],
    ['<coverage clover="3"><project/></coverage>', 'unknown'],
    ['<report name="x"><counter type="LINE" missed="1" covered="1"/></report>', 'coverage'],
    ['<report name="x"><counter type="LINE" missed="1" covered="1"/>', 'damaged'],
    ['<report><other/></report>', 'unknown'],
    ['TN:\nSF:a\nLF:2\nLH:1\nend_of_record\n', 'coverage'],
    ['SF:a\nLF:2\nLH:1\n', 'damaged'],
    ['SF:a\nend_of_record', 'damaged'],
    ['{"version":"2.1.0","runs":[]}', 'sarif'],
    ['{"version":"2.1.0","runs":[', 'damaged'],
    ['{"bomFormat":"CycloneDX"}', 'sbom'],
    ['{"spdxVersion":"SPDX-2.3"}', 'sbom'],
    ['{"payloadType":"x","payload":"","signatures":[]}', 'in-toto'],
    ['{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","dsseEnvelope":{}}', 'in-toto'],
    ['[{"ok":true,"vulnerabilities":[]}]', 'snyk'],
    ['{"SchemaVersion":2,"ArtifactName":"a","Results":[]}', 'trivy'],
    ['{"SchemaVersion":2,"Results":[{"VulnerabilityID":"a"', 'damaged'],
    ['{"matches":[],"descriptor":{"name":"grype"}}', 'grype'],
    ['{"matches":[]}', 'unknown'],
    ['[{"RuleID":"a","Secret":"b"}]', 'gitleaks'],
    ['[{"RuleID":"a"}]', 'unknown'],
    ['{"results":[],"experimental_config":{}}', 'osv-scanner'],
    ['{"results":[{"packages":[]}]}', 'osv-scanner'],
    ['{"results":[]}', 'unknown'],
    ['<bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', 'sbom'],
    ['<!DOCTYPE bom><bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', 'damaged'],
    ['<bom/>', 'unknown'],
    ['{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[]}', 'sbom'],
    ['{"@context":"https://openvex.dev/ns/v0.2.0","statements":[]}', 'vex'],
    ['{"document":{"csaf_version":"2.0"}}', 'vex'],
    ['{"document":{"title":"a"}}', 'unknown'],
    ['{"bomFormat":"CycloneDX","vulnerabilities":[{"analysis":{"state":"resolved"}}]}', 'vex'],
    ['{"bomFormat":"CycloneDX","vulnerabilities":[{}]}', 'sbom'],
    ['{"bomFormat":"CycloneDX","components":[{}],"vulnerabilities":[{"analysis":{}}]}', 'sbom'],
    ['{"compilerOptions":{}, // a comment\n}', 'unknown'],
    ['{"a":1}', 'unknown'],
    ['[]', 'unknown'],
    ['hello', 'unknown'],
    ['', 'damaged'],
    [' \n ', 'damaged'],
    ['<?xml version="1.0"?>', 'damaged'],
    ['<!-- never closed', 'damaged'],
    ['<!DOCTYPE a [ never closed', 'damaged'],
  ])('%j is %s', (text, kind) => {
    expect(of(text).kind).toBe(kind);
  });

  it.each([
    ['a.json', '{"a":', 'damaged'],
    ['a.JSON', 'Killed', 'damaged'],
    ['a.sarif', 'Killed', 'damaged'],
    ['a.xml', 'Killed', 'damaged'],
    ['a.txt', 'Killed', 'unknown'],
    ['a.json', '{"a":1}', 'unknown'],
    ['a.xml', '<a/>', 'unknown'],
    ['a.json', '{"spdxVersion":"SPDX-2.3"}', 'sbom'],
  ])('for a chosen file, %s with %j is %s', (name, text, kind) => {
    expect(recogniseChosen({ name, content: Buffer.from(text) }).kind).toBe(kind);
  });

  it('treats an oversized file as damaged when it begins like a report', () => {
    const large = (start: string) => of(Buffer.concat([Buffer.from(start), Buffer.alloc(51 * 1024 * 1024, 0x20)]));
    for (const start of ['\ufeff <testsuites>', '{', '[', 'TN:', '']) {
      expect(large(start)).toEqual({ kind: 'damaged', why: 'it is larger than 50 MiB' });
    }
    expect(large('\u007fELF').kind).toBe('unknown');
  });

  it('explains why a file is unreadable', () => {
    expect(recognise({ name: 'f', content: Buffer.from('\ufeff<testsuite/>', 'utf16le') })).toMatchObject({
      kind: 'damaged',
      why: expect.stringContaining('UTF-16'),
    });
  });

  it('answers for any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        (content) => typeof recognise({ name: 'f', content }).kind === 'string',
      ),
    );
    const parts = fc.constantFrom(
      '<',
      '<!--',
      '-->',
      '<?',
      '?>',
      '<!DOCTYPE',
      '[',
      ']',
      '>',
      'a',
      ' ',
      '<coverage',
      '"',
      '{',
    );
    fc.assert(fc.property(fc.array(parts, { maxLength: 40 }), (words) => typeof of(words.join('')).kind === 'string'));
  });

  it.each([
    ['comments', (count: number) => '<!---->'.repeat(count)],
    ['elements that nothing closes', (count: number) => `<coverage line-rate="1">${'<line '.repeat(count)}`],
    ['declarations that nothing closes', (count: number) => '<!DOCTYPE a [>'.repeat(count)],
  ])('takes in proportion to the number of %s', (_, textOf) => {
    const workOf = (count: number) => {
      const content = Buffer.from(textOf(count));
      return () => recognise({ name: 'f', content });
    };
    // Strings above 128 KB have storage of their own, which costs more than in proportion.
    expect(growthOf(workOf, 1_000)).toBeLessThan(IN_PROPORTION);
  });
});
