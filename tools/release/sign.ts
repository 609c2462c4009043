import { chmodSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/** Whose signature Waymark is to believe. */
export type Trusted =
  | { readonly kind: 'key'; readonly file: string }
  | { readonly kind: 'identity'; readonly issuer: string; readonly subject: string; readonly trustedRoot: string };

export interface Signer {
  readonly trustedAs: Trusted;
  /** Signs a file; the bundle has all that is needed to verify it. */
  signFile(file: string, bundle: string): void;
  verifyFile(file: string, bundle: string): void;
  /** Signs a statement that names its subjects itself. */
  signStatement(statement: string, bundle: string): void;
  /** Checks that a statement is signed, and that it is about this file. */
  verifyStatement(file: string, bundle: string): void;
  signImage(image: string): void;
  verifyImage(image: string): void;
  attestImage(image: string, type: PredicateType, predicate: string): void;
  verifyAttestation(image: string, type: PredicateType): void;
}

export type PredicateType = 'slsaprovenance1' | 'cyclonedx' | 'spdxjson';

/**
 * Makes a key in a folder, and signs with it. No transparency log is involved: it is out of reach for a dry run, and a
 * dry run does not belong there.
 */
export function localSigner(cosign: string, folder: string): Signer {
  // The key is thrown away with the folder.
  const run: Run = (...args) =>
    void runProgram(cosign, args, { cwd: folder, env: { ...process.env, COSIGN_PASSWORD: '' } });
  run('generate-key-pair');
  const file = join(folder, 'cosign.pub');
  return signerWith(
    run,
    { kind: 'key', file },
    {
      sign: ['--key', join(folder, 'cosign.key'), '--use-signing-config=false', '--tlog-upload=false'],
      check: ['--key', file, '--insecure-ignore-tlog=true'],
      registry: ['--allow-http-registry'],
    },
  );
}

/** Signs with a certificate that Sigstore makes out to the identity of this job, and records it in its log. */
export function keylessSigner(cosign: string, { issuer, subject }: { issuer: string; subject: string }): Signer {
  const run: Run = (...args) => void runProgram(cosign, args);
  run('initialize');
  const [trustedRoot = ''] = globSync(join(homedir(), '.sigstore/root/**/trusted_root.json'));
  return signerWith(
    run,
    { kind: 'identity', issuer, subject, trustedRoot },
    {
      sign: [],
      check: ['--certificate-oidc-issuer', issuer, '--certificate-identity', subject],
      registry: [],
    },
  );
}

type Run = (...args: string[]) => void;

interface Options {
  readonly sign: readonly string[];
  readonly check: readonly string[];
  readonly registry: readonly string[];
}

function signerWith(run: Run, trustedAs: Trusted, { sign, check, registry }: Options): Signer {
  const provenance = ['--type', 'slsaprovenance1'];
  return {
    trustedAs,
    signFile: (file, bundle) => {
      run('sign-blob', ...sign, '--yes', '--bundle', bundle, file);
      chmodSync(bundle, 0o644);
    },
    verifyFile: (file, bundle) => run('verify-blob', ...check, '--bundle', bundle, file),
    signStatement: (statement, bundle) => {
      run('attest-blob', ...sign, '--yes', '--statement', statement, '--bundle', bundle);
      chmodSync(bundle, 0o644);
    },
    verifyStatement: (file, bundle) =>
      run('verify-blob-attestation', ...check, ...provenance, '--bundle', bundle, file),
    signImage: (image) => run('sign', ...sign, ...registry, '--yes', '--recursive', image),
    verifyImage: (image) => run('verify', ...check, ...registry, image),
    attestImage: (image, type, predicate) =>
      run('attest', ...sign, ...registry, '--yes', '--type', type, '--predicate', predicate, image),
    verifyAttestation: (image, type) => run('verify-attestation', ...check, ...registry, '--type', type, image),
  };
}
