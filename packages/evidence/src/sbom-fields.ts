import * as z from 'zod';

export const MAX_COMPONENTS = 100_000;

export const CYCLONEDX_VERSIONS = ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'] as const;

export const Name = z.string().max(1000);
export const Version = z.string().max(1000);
/** Unchanged: a package URL that a parser would refuse still finds its component. */
export const Purl = z.string().max(4096);

export interface SbomComponent {
  name: string;
  version: string;
  purl: string | null;
}

export interface Sbom {
  format: 'CycloneDX' | 'SPDX';
  specVersion: string;
  components: SbomComponent[];
}
