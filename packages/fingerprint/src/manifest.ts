const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

export const MANIFEST_MEDIA_TYPES: readonly string[] = [...INDEX_TYPES, ...MANIFEST_TYPES];

/** More than any client accepts, and more than any registry should store. */
export const MANIFEST_MAX_BYTES = 4 * 1024 ** 2;

/** An index names a handful of platforms, and each is one more request. */
const MAX_ENTRIES = 256;

export interface Descriptor {
  readonly mediaType: string | null;
  /** 64 hex digits. */
  readonly digest: string;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly platform: Readonly<Record<string, unknown>> | null;
}

export type Manifest =
  | { readonly kind: 'index'; readonly mediaType: string; readonly entries: readonly Descriptor[] }
  | { readonly kind: 'manifest'; readonly mediaType: string; readonly configDigest: string | null };

/** Makes the error that says what was read; its argument goes on from there: "is not JSON". */
export type Refuse = (why: string) => Error;

type Fields = Readonly<Record<string, unknown>>;

/** `declared` is the type in a response or another document; types of other documents are ignored. */
export function parseManifest(bytes: Uint8Array, declared: string | null, refuse: Refuse): Manifest {
  const document = parseObject(bytes, refuse);
  if (document['schemaVersion'] === 1) {
    throw refuse(
      'is a manifest of the first version, which has no stable digest; push the image again with a newer tool',
    );
  }
  // A document that is valid as both is a known way to make two clients see two images behind one digest.
  if ('manifests' in document && ('layers' in document || 'config' in document)) {
    throw refuse('is an index and a manifest at once');
  }
  const mediaType = mediaTypeOf(document, declared, refuse);
  if (INDEX_TYPES.includes(mediaType)) {
    return { kind: 'index', mediaType, entries: parseEntries(document, refuse) };
  }
  return { kind: 'manifest', mediaType, configDigest: parseConfig(document, refuse) };
}

/** A known type of an index or a manifest; undefined for signatures, old formats and future ones. */
export function kindOf(mediaType: string | null): Manifest['kind'] | undefined {
  if (mediaType === null) return undefined;
  if (INDEX_TYPES.includes(mediaType)) return 'index';
  return MANIFEST_TYPES.includes(mediaType) ? 'manifest' : undefined;
}

export function parseObject(bytes: Uint8Array, refuse: Refuse): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refuse('is not JSON');
  }
  if (!isObject(value)) throw refuse('is not a JSON object');
  return value;
}

export function parseEntries(document: Fields, refuse: Refuse): readonly Descriptor[] {
  const entries = document['manifests'];
  if (!Array.isArray(entries)) throw refuse('has no list of manifests');
  if (entries.length > MAX_ENTRIES) throw refuse(`lists more than ${MAX_ENTRIES} manifests`);
  return entries.map((entry: unknown, index) =>
    parseDescriptor(entry, (why) => refuse(`has in manifests[${index}] ${why}`)),
  );
}

function parseDescriptor(value: unknown, refuse: Refuse): Descriptor {
  if (!isObject(value)) throw refuse('something that is not an object');
  const digest = hexOf(value['digest']);
  if (digest === null) throw refuse('a digest that is not "sha256:" and 64 digits in lower case hex');
  return {
    mediaType: typeof value['mediaType'] === 'string' ? value['mediaType'] : null,
    digest,
    annotations: isObject(value['annotations']) ? value['annotations'] : {},
    platform: isObject(value['platform']) ? value['platform'] : null,
  };
}

function parseConfig(document: Fields, refuse: Refuse): string | null {
  if (!isObject(document['config']) || !Array.isArray(document['layers'])) {
    throw refuse('has no config and layers, as the manifest of an image does');
  }
  return hexOf(document['config']['digest']);
}

function mediaTypeOf(document: Fields, declared: string | null, refuse: Refuse): string {
  const own = document['mediaType'];
  const known = declared !== null && MANIFEST_MEDIA_TYPES.includes(declared) ? declared : undefined;
  if (own === undefined) return known ?? impliedType(document, refuse);
  if (typeof own !== 'string' || !MANIFEST_MEDIA_TYPES.includes(own)) {
    throw refuse(`is of the type ${shortened(own)}, which is not one of an image`);
  }
  if (known !== undefined && known !== own) throw refuse(`is declared to be ${known} and says itself to be ${own}`);
  return own;
}

/** The OCI types may be omitted. */
function impliedType(document: Fields, refuse: Refuse): string {
  const [index = '', manifest = ''] = [INDEX_TYPES[0], MANIFEST_TYPES[0]];
  if ('manifests' in document) return index;
  if ('layers' in document) return manifest;
  throw refuse('is neither an index nor a manifest of an image');
}

function hexOf(digest: unknown): string | null {
  return typeof digest === 'string' ? (/^sha256:([0-9a-f]{64})$/.exec(digest)?.[1] ?? null) : null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 100);
}
