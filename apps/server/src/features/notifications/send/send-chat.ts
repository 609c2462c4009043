import { chatBody } from '@waymark/messages';
import type { Send } from './outgoing.ts';
import { postJson } from './post-json.ts';

/** A message for people in a channel. The URL is the credential, so errors name only its host. */
export const sendChat: Send = async (parts, { message, target }, attempt) => {
  const { url } = target;
  if (url === null) throw new Error('a chat target has no URL');
  return postJson(parts, { url, body: JSON.stringify(chatBody(message, url, parts.publicUrl)) }, attempt);
};
