export interface Disposition {
  readonly name: string;
  readonly filename: string | undefined;
}

const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const PARAMETER = /;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*/gy;

/** The boundary in a content type of `multipart/form-data`; undefined unless there is exactly one and it is legal. */
export function boundaryOf(contentType: string): string | undefined {
  const boundary = parametersOf(contentType)?.get('boundary');
  return boundary !== undefined && BOUNDARY.test(boundary) ? boundary : undefined;
}

/** The declared name and type of a part; undefined when they are ambiguous or the content has a transfer encoding. */
export function dispositionOf(headers: Buffer): Disposition | undefined {
  const fields = fieldsOf(headers);
  const encoding = fields?.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(encoding)) return undefined;
  const disposition = fields?.get('content-disposition') ?? '';
  if (!/^form-data\s*;/i.test(disposition)) return undefined;
  const parameters = parametersOf(disposition);
  const name = parameters?.get('name');
  return name === undefined ? undefined : { name, filename: parameters?.get('filename') };
}

/** Undefined when a line is not a header or a header appears twice. */
function fieldsOf(headers: Buffer): Map<string, string> | undefined {
  const text = utf8(headers);
  if (text === undefined) return undefined;
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n').filter((line) => line !== '')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!/^[\w-]+$/.test(name) || fields.has(name)) return undefined;
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined when a parameter appears twice: readers that disagree on which one counts can be exploited. */
function parametersOf(value: string): Map<string, string> | undefined {
  const start = value.indexOf(';');
  const text = start < 0 ? '' : value.slice(start).trimEnd();
  const parameters = new Map<string, string>();
  let end = 0;
  for (const match of text.matchAll(PARAMETER)) {
    const [whole, name = '', quoted, token = ''] = match;
    if (parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token);
    end = match.index + whole.length;
  }
  return end === text.length ? parameters : undefined;
}
