import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import lock from '../image/base.lock.json' with { type: 'json' };
import { epochOfCommit } from './epoch.ts';
import { runProgram } from './run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What was built, by name and SHA-256. */
export interface BuiltThing {
  readonly name: string;
  readonly sha256: string;
}

export interface Origin {
  readonly tag: string;
  /** Where the sources are. */
  readonly repository: string;
  /** Who ran the build: a workflow of a forge, or a machine about which nobody can say anything. */
  readonly builder: string;
  readonly invocation: string;
}

/** What `builder` is when nobody else vouches for the build. */
export const LOCAL_BUILDER = 'https://github.com/waymark/waymark/blob/main/docs/releases.md#local-builds';
const BUILD_TYPE = 'https://github.com/waymark/waymark/blob/main/docs/releases.md#build-type-v1';

/** Files whose digests decide what is built, besides the commit that contains them. */
const LOCKS = ['pnpm-lock.yaml', 'tools/image/base.lock.json'];

/** An in-toto statement about everything that a release consists of: https://slsa.dev/spec/v1.0/provenance. */
export function provenanceOf(built: readonly BuiltThing[], { tag, repository, builder, invocation }: Origin) {
  const commit = runProgram('git', ['-C', ROOT, 'rev-parse', 'HEAD']).toString().trim();
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: built.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { repository, ref: `refs/tags/${tag}` },
        internalParameters: { sourceDateEpoch: epochOfCommit() },
        resolvedDependencies: [
          { uri: `git+${repository}@refs/tags/${tag}`, digest: { gitCommit: commit } },
          ...LOCKS.map((path) => ({
            uri: `git+${repository}#${path}`,
            digest: { sha256: hash('sha256', readFileSync(join(ROOT, path))) },
          })),
          { uri: `pkg:generic/node@${lock.node.version}` },
        ],
      },
      runDetails: { builder: { id: builder }, metadata: { invocationId: invocation } },
    },
  };
}

export type Provenance = ReturnType<typeof provenanceOf>;
