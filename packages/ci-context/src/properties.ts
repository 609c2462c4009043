/** A file of Java properties. */
export function parseProperties(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const logical = text.replace(/\r\n?/g, '\n').replace(/((?:^|[^\\])(?:\\\\)*)\\\n[ \t\f]*/g, '$1');
  for (const line of logical.split('\n')) {
    if (/^\s*(?:[#!]|$)/.test(line)) continue;
    const parts = /^\s*((?:\\.|[^\\\s=:])*)(?:\s*[=:]\s*|\s+|$)(.*)$/.exec(line);
    if (parts) found.set(unescaped(parts[1] ?? ''), unescaped(parts[2] ?? ''));
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, character: string | undefined) =>
    code === undefined ? (ESCAPES[character ?? ''] ?? character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
