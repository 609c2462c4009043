const MAX_LENGTH = 80;
const MAX_EXTENSION = 16;

/** Browsers neither run these nor guess their type from the first bytes, as they do for names without an extension. */
const INERT = new Set(['txt', 'json', 'csv', 'pdf', 'png', 'jpg', 'jpeg', 'gif', 'zip', 'gz', 'tgz', 'bin']);

/** Returns a name that is valid on every file system, and special to no shell or tool. */
export function safeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^[.-]+/, '_');
  if (plain === '') return 'file';
  if (plain.length <= MAX_LENGTH) return plain;
  const dot = plain.lastIndexOf('.');
  const extension = dot > 0 && plain.length - dot <= MAX_EXTENSION ? plain.slice(dot) : '';
  return plain.slice(0, MAX_LENGTH - extension.length) + extension;
}

/** Returns a safe name that a browser opens without running anything: HTML, SVG and XML become text. */
export function inertName(name: string): string {
  const safe = safeName(name);
  const extension = /\.([^.]+)$/.exec(safe)?.[1]?.toLowerCase() ?? '';
  return INERT.has(extension) ? safe : `${safe}.txt`;
}
