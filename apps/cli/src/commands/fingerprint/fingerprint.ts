import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type Identified, identifyArtifact } from '../../evidence/artifact-reference.ts';
import { collect } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'Prints only digests to standard output, one per line, in the order of the arguments. For an image, prints its ' +
    'digest in the registry: the digest of the index, if there is one.',
  examples: [
    { say: 'A file or a directory', run: 'waymark fingerprint dist/app.tgz' },
    { say: 'A directory without its logs', run: "waymark fingerprint ./site --exclude 'logs/**'" },
    { say: 'An image, platform by platform', run: 'waymark fingerprint oci://ghcr.io/acme/web:1.9.1 --platforms' },
  ],
  build: (command) =>
    command
      .argument('<what...>', 'a path, oci://IMAGE, or oci-layout:PATH[:TAG]')
      .option('--exclude <glob>', 'pattern to exclude from a directory; can be repeated', collect)
      .option('--type <type>', 'required type: file, dir, or oci (default: detected)')
      .option('--platforms', 'for an image: print each platform with its digest'),
  async run(session, [whats], { exclude = [], type, platforms }) {
    const fingerprints = [];
    for (const what of whats) {
      const found = await identifyArtifact(session, referenceOf(session, what, type), { exclude });
      if (platforms && found.kind !== 'image') throw usageError(`${what} is not an image, so it has no platforms`);
      fingerprints.push({ reference: what, ...found });
    }
    return {
      data: fingerprints.map(({ reference, fingerprint, kind, platforms }) => ({
        reference,
        kind,
        fingerprint,
        platforms: platforms.map(({ platform, digest }) => ({ platform, fingerprint: digest })),
      })),
      text: fingerprints.flatMap((found) => (platforms ? platformLines(found) : [found.fingerprint])).join('\n'),
    };
  },
});

/** An image without an index is for one platform, which only its configuration names. */
function platformLines({ fingerprint, platforms }: Identified): string[] {
  if (platforms.length === 0) return [fingerprint];
  return platforms.map(({ platform, digest }) => `${digest}  ${platform}`);
}

/** A file may be named like a digest or an address; the type says that it is a file. */
function referenceOf({ io }: Session, what: string, type: string | undefined): string {
  switch (type) {
    case undefined:
      return what;
    case 'oci':
      return /^(oci:\/\/|oci-layout:)/.test(what) ? what : `oci://${what}`;
    case 'file':
    case 'dir': {
      if (statSync(resolve(io.cwd, what)).isDirectory() !== (type === 'dir')) {
        throw usageError(`${what} is ${type === 'dir' ? 'not a directory' : 'a directory, not a file'}`);
      }
      return isAbsolute(what) ? what : `./${what}`;
    }
    default:
      throw usageError(`--type must be file, dir, or oci, not '${type}'`);
  }
}
