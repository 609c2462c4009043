import { sign, signedText, webhookBody } from '@waymark/messages';
import type { Outgoing, Send, SendAttempt, SendParts } from './outgoing.ts';
import { postJson } from './post-json.ts';

/** A message for machines, signed so that the receiver can verify that it is authentic and fresh. */
export const sendWebhook: Send = async (parts, outgoing, attempt) => {
  const { url } = outgoing.target;
  if (url === null) throw new Error('a webhook has no URL');
  const body = JSON.stringify(webhookBody(outgoing.message, parts.publicUrl));
  return postJson(parts, { url, body, headers: await signed(parts, outgoing, body, attempt) }, attempt);
};

async function signed(parts: SendParts, { orgId, message, target }: Outgoing, body: string, { at }: SendAttempt) {
  const timestamp = Math.floor(at.getTime() / 1_000);
  const text = signedText(message.id, timestamp, body);
  // While a secret is being replaced there are two, and the receiver may still know only the old one.
  const signatures = target.secrets.map((secret) => sign(secret, text));
  const ofOrg = await parts.signWithOrgKey(orgId, text);
  if (ofOrg !== undefined) signatures.push(ofOrg);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
