import { discordBody, googleChatBody, slackBody, teamsBody } from './chat-services.ts';
import { linkText } from './chat-text.ts';
import type { Message } from './content.ts';
import { glanceOf } from './glance.ts';
import { linkOf } from './webhook-body.ts';

/** What a chat service is sent, in the form that the service behind the URL reads. */
export function chatBody(message: Message, url: string, publicUrl: string): unknown {
  const glance = glanceOf(message);
  return BODIES[chatServiceOf(url)]({ ...glance, link: linkText(linkOf(message, publicUrl), publicUrl) });
}

const BODIES = { slack: slackBody, teams: teamsBody, googleChat: googleChatBody, discord: discordBody } as const;

const HOSTS: readonly (readonly [keyof typeof BODIES, RegExp])[] = [
  ['teams', /(^|\.)(logic\.azure\.(com|us|cn)|api\.powerplatform\.(com|us)|webhook\.office\.com)$/],
  ['googleChat', /^chat\.googleapis\.com$/],
  ['discord', /(^|\.)discord(app)?\.com$/],
];

/** Told by the host; whoever is not known is expected to understand what Slack understands, as most do. */
export function chatServiceOf(url: string): keyof typeof BODIES {
  const { hostname, pathname } = new URL(url);
  // Discord also takes what is written for Slack.
  if (pathname.endsWith('/slack')) return 'slack';
  return HOSTS.find(([, hosts]) => hosts.test(hostname.replace(/\.$/, '')))?.[0] ?? 'slack';
}
