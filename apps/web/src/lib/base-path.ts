/**
 * The path of the service on its host, such as `/waymark`; empty when it has the host to itself. The server writes it
 * into the page.
 *
 * Addresses in the application, and all that the router knows, begin at the service. `withBase` turns one into an
 * address for the browser.
 */
export const BASE_PATH =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content.replace('__BASE__', '') ?? '';

export function withBase(path: string): string {
  return BASE_PATH + path;
}

export function withoutBase(pathname: string): string {
  return pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : '/';
}

/** The address of the service, as the command line takes it. */
export function serviceUrl(): string {
  return location.origin + BASE_PATH;
}

/** Leaves the application for another page of the service, or loads it again. */
export function leaveFor(path: string): void {
  location.assign(withBase(path));
}
