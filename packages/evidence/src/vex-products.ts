import type { VexClaim, VexProduct, VexStatement } from './vex-statement.ts';

/** The artifact that evidence is about. */
export interface VexSubject {
  /** Null for evidence about a trail, which is about all of its artifacts. */
  fingerprint: string | null;
  /** With and without a tag. */
  names: readonly string[];
}

/** Returns what a claim says about the artifact: nothing, if all of its products are other artifacts. */
export function aboutArtifact({ products, ...stated }: VexClaim, subject: VexSubject): VexStatement[] {
  if (products.length === 0) return [stated];
  const components: string[] = [];
  for (const product of products) {
    const relation = relationTo(product, subject);
    if (relation === 'other') continue;
    if (product.parts.length > 0) components.push(...product.parts);
    else if (relation === 'same') return [stated];
    else components.push(...product.ids);
  }
  return components.length === 0 ? [] : [{ ...stated, components }];
}

/** `unclear` for what may be a component of the artifact, or a name for all of its versions. */
function relationTo({ ids, isSubject }: VexProduct, { fingerprint, names }: VexSubject): 'same' | 'other' | 'unclear' {
  const digests = ids.flatMap((id) => digestIn(id) ?? []);
  // Where a digest is given, it decides: of another build, the same name says nothing about this one.
  if (digests.length > 0) return fingerprint !== null && digests.includes(fingerprint) ? 'same' : 'other';
  if (isSubject || ids.some((id) => names.includes(id))) return 'same';
  const images = ids.flatMap((id) => imageIn(id) ?? []);
  if (images.length === 0) return 'unclear';
  return images.some((image) => names.some((name) => lastPart(name) === image)) ? 'same' : 'other';
}

/** Of `pkg:oci/web@sha256%3A…`, `registry.example.com/web@sha256:…`, or the digest alone. */
function digestIn(id: string): string | undefined {
  return /(?:^|@)(?:sha256(?::|%3a))?([0-9a-f]{64})(?:$|[?#])/i.exec(id)?.[1]?.toLowerCase();
}

/** `web` or `web:1.2` of a package URL such as `pkg:oci/web?repository_url=…` or `pkg:docker/acme/web@1.2`. */
function imageIn(id: string): string | undefined {
  const [, name, tag] = /^pkg:(?:oci|docker)\/(?:[^?#@]*\/)?([^/?#@]+)(?:@([^?#]+))?/i.exec(id) ?? [];
  return name && (tag === undefined ? name : `${name}:${tag}`).toLowerCase();
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).toLowerCase();
}
