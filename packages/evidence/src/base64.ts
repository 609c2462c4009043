import * as z from 'zod';

/** Decodes base64 of either alphabet. Non-canonical text is refused: it may hide something. */
export const Base64 = z.string().transform((text, context): Buffer => {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Buffer.from(standard, 'base64');
  if (bytes.toString('base64') === standard && bytes.length > 0) return bytes;
  context.issues.push({ code: 'custom', input: undefined, message: 'is not base64' });
  return z.NEVER;
});
