/** Returns the address without user and password, or undefined when it is not a web address. */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.username = '';
  url.password = '';
  return text.endsWith('/') ? url.href : url.href.replace(/\/$/, '');
}
