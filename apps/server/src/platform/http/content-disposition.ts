/** RFC 6266: the client saves the file under this name. */
export function attachmentNamed(filename: string): string {
  return `attachment; ${named(filename)}`;
}

/** The client shows the file, and saves it under this name if asked to. */
export function inlineNamed(filename: string): string {
  return `inline; ${named(filename)}`;
}

/** An ASCII name for every client, and the real one (RFC 5987) for those that support it. */
function named(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  if (plain === filename) return `filename="${plain}"`;
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}
