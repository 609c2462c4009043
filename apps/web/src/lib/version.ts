/** The release of the server, which writes it into the page; empty if it did not. */
export const VERSION =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="version"]')?.content.replace('__VERSION__', '') ?? '';
