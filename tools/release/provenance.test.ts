import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOCAL_BUILDER, provenanceOf } from './provenance.ts';
import { runProgram } from './run-program.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHA256 = hash('sha256', 'content');

it('names what was built, from which commit, and by whom', () => {
  const origin = { tag: 'v1.2.3', repository: 'https://git.example.com/acme/waymark', invocation: 'run-7' };
  const statement = provenanceOf([{ name: 'waymark-cli-1.2.3.tgz', sha256: SHA256 }], {
    ...origin,
    builder: LOCAL_BUILDER,
  });
  const commit = runProgram('git', ['-C', ROOT, 'rev-parse', 'HEAD']).toString().trim();
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'waymark-cli-1.2.3.tgz', digest: { sha256: SHA256 } }],
    predicate: {
      buildDefinition: {
        externalParameters: { repository: origin.repository, ref: 'refs/tags/v1.2.3' },
        resolvedDependencies: expect.arrayContaining([
          { uri: 'git+https://git.example.com/acme/waymark@refs/tags/v1.2.3', digest: { gitCommit: commit } },
          {
            uri: 'git+https://git.example.com/acme/waymark#pnpm-lock.yaml',
            digest: { sha256: hash('sha256', readFileSync(join(ROOT, 'pnpm-lock.yaml'))) },
          },
        ]),
      },
      runDetails: { builder: { id: LOCAL_BUILDER }, metadata: { invocationId: 'run-7' } },
    },
  });
});
