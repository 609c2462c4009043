/** RFC 6266: to be saved under the name. */
export function attachmentNamed(filename: string): string {
  return `attachment; ${named(filename)}`;
}

/** To be shown, and saved under the name if somebody does. */
export function inlineNamed(filename: string): string {
  return `inline; ${named(filename)}`;
}

/** A name for every client, and the true one (RFC 5987) for those that understand it. */
function named(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  if (plain === filename) return `filename="${plain}"`;
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}
