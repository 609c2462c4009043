import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatBody, chatServiceOf } from './chat.ts';
import type { Message, MessageTrigger } from './content.ts';

const PUBLIC_URL = 'https://waymark.example.org';
const URLS = {
  slack: 'https://hooks.slack.com/services/T0/B0/secret',
  teams: 'https://prod-12.westeurope.logic.azure.com:443/workflows/secret/triggers/manual/paths/invoke',
  googleChat: 'https://chat.googleapis.com/v1/spaces/x/messages?key=secret',
  discord: 'https://discord.com/api/webhooks/1/secret',
} as const;
const SERVICES = Object.keys(URLS) as (keyof typeof URLS)[];
const TRIGGERS: readonly MessageTrigger[] = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  'ON_EXPIRING_EVIDENCE',
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'api_key_expiry',
  'TEST',
];

/** A message in which every untrusted text is the given one. */
function messageWith(name: string, trigger: MessageTrigger, count = 1): Message {
  const isKey = trigger === 'api_key_expiry';
  const isFlow = trigger === 'ON_ATTESTATION' || trigger === 'ON_STARTED_TRAIL';
  return {
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    org: name,
    trigger,
    sequence: 7,
    count,
    timestamp: 1_790_000_000,
    content: {
      environment: isFlow || isKey ? null : name,
      flow: isFlow ? name : null,
      snapshot: isFlow || isKey ? null : { index: 42, status: name },
      artifact: {
        name,
        fingerprint: name,
        compliant: false,
        provenance: { flow: `${name}x`, trail: name, commit: name, commitUrl: name, buildUrl: name, artifactId: name },
      },
      trail: isFlow ? { name, compliant: true } : null,
      attestation: isFlow ? { id: name, name, type: name, compliant: false } : null,
      apiKey: isKey ? { id: name, description: name, owner: name, expiresAt: 1_790_000_000, daysLeft: 7 } : null,
      names: [name, `${name}2`],
      why: name,
      artifacts: [
        { name, fingerprint: name, compliant: false },
        { name, fingerprint: `${name}2`, compliant: true },
      ],
      fix: name,
      ...(trigger === 'TEST' && { test: { of: name, by: name } }),
    },
  };
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The visible text, without our own links. */
function shownIn(body: unknown): string[] {
  return stringsIn(body)
    .map((text) => text.replace(/<https:\/\/waymark\.example\.org[\w\-.~:/?#[\]@!$&+,;=%]*\|[\w ]+>/g, ''))
    .filter((text) => !/^https:\/\/waymark\.example\.org(\/[\w\-.~:/?#[\]@!$&+,;=%]*)?$/.test(text))
    .filter((text) => !/^(Action\.OpenUrl$|http:\/\/adaptivecards\.io\/|application\/vnd\.microsoft\.)/.test(text))
    .map((text) => text.replaceAll('&#39;', "'"));
}

const FRAGMENTS = [
  '@channel',
  '@here',
  '@everyone',
  '@all',
  '<!channel>',
  '<!here|here>',
  '<@U123>',
  '<@&123>',
  '<users/all>',
  '<at>Ada</at>',
  '<https://evil.example|Waymark>',
  '[click](https://evil.example)',
  '[click][1]',
  '![x](//evil.example/x.png)',
  'https://evil.example/login',
  'HTTP://EVIL.EXAMPLE',
  'evil.com',
  'www.evil.com/x',
  'evil。com',
  'ada@evil.com',
  '10.0.0.1/x',
  '`',
  '```',
  '**',
  '__',
  '_x_',
  '~~',
  '||',
  '\\',
  '#general',
  '# head',
  '> quote',
  '|>',
  '{{DATE(2026-01-01T00:00:00Z)}}',
  `\${secret}`,
  '&lt;!channel&gt;',
  '&',
  '<',
  '>',
  '"',
  "'",
  '\n',
  '\r\n',
  '\u2028',
  '\u0000',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u200b',
  '\ud800',
  '💥',
  'web',
];

const hostile = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FRAGMENTS) }, fc.string({ unit: 'binary', maxLength: 6 })),
    {
      maxLength: 10,
    },
  )
  .map((parts) => parts.join(''));

/** What some service would take for a mention, a link or a direction, anywhere. */
const NOWHERE: readonly (readonly [string, RegExp])[] = [
  ['mention', /@[\p{L}\p{N}_\-&!]/u],
  ['channel', /#[\p{L}\p{N}]/u],
  ['scheme', /:\/\//],
  ['host', /[\p{L}\p{N}-][.。．｡]\p{L}/u],
  ['address', /\d+\.\d+\.\d+\.\d+/],
  ['Markdown link', /\][[(]/],
  ['function', /\{\{|\$\{/],
  ['direction', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/],
  ['broken character', /\p{Cs}/u],
];

const CHECKS: Record<keyof typeof URLS, (shown: string) => void> = {
  slack(shown) {
    expect(shown).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
  },
  teams(shown) {
    expect(shown).not.toMatch(/\p{Cc}/u);
  },
  googleChat(shown) {
    expect(shown.replace(/^<b>(.*)<\/b>$/u, '$1')).not.toMatch(/[<>]|\p{Cc}/u);
  },
  discord(shown) {
    const bare = shown.replace(/^\*\*(.*)\*\*$/u, '$1').replace(/\\[!-/:-@[-`{-~]/g, '');
    expect(bare).not.toMatch(/[*_~`|<>[\]()#@\\]|\p{Cc}/u);
  },
};

describe.each(SERVICES)('%s', (service) => {
  it('renders no untrusted text as a mention, a link or markup', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...TRIGGERS), fc.constantFrom(1, 2, 30), (name, trigger, count) => {
        const body = chatBody(messageWith(name, trigger, count), URLS[service], PUBLIC_URL);
        for (const shown of shownIn(body)) {
          for (const [what, pattern] of NOWHERE) expect(shown, what).not.toMatch(pattern);
          CHECKS[service](shown);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(['a', '<', '@', '&', '💥', 'é́́́́', '.a', '"', '\u202e', '_'])(
    'stays small with names of 10,000 %j',
    (character) => {
      for (const trigger of TRIGGERS) {
        const body = chatBody(messageWith(character.repeat(10_000), trigger, 3), URLS[service], PUBLIC_URL);
        expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(20_000);
      }
    },
  );

  it('links to its subject, and to nothing else', () => {
    const body = chatBody(messageWith('prod', 'ON_NON_COMPLIANT_ENV'), URLS[service], PUBLIC_URL);
    const links = JSON.stringify(body).match(/https:\/\/[^"|]+/g) ?? [];
    expect(new Set(links)).toEqual(new Set([`${PUBLIC_URL}/prod/environments/prod/snapshots/42`]));
  });
});

describe('Slack and compatible services', () => {
  it('shows what, where and why, and a link', () => {
    const { text, blocks } = chatBody(givenMessage, URLS.slack, PUBLIC_URL) as { text: string; blocks: unknown };
    expect(text).toBe(
      [
        'Non-compliant: production',
        "Why: 2 artifacts have no provenance: 'web' and 'db'. What to do: Report them to the flow that builds them.",
        'Environment: production · Snapshot: 42 (non-compliant) · Artifact: registry.\u200bacme.\u200bio/web:1.4.2 (non-compliant) · Org: acme · Recorded: 2026-09-21 14:13 UTC',
        '<https://waymark.example.org/acme/environments/production/snapshots/42|Show snapshot 42>',
      ].join('\n'),
    );
    expect(blocks).toMatchObject([
      { type: 'header', text: { type: 'plain_text', text: 'Non-compliant: production', emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: GIVEN_WHY } },
      { type: 'context', elements: [{ type: 'plain_text' }] },
      { type: 'section', text: { type: 'mrkdwn', verbatim: true } },
    ]);
  });

  it('respects the limits of blocks', () => {
    for (const character of ['a', '&', '@', '.a']) {
      const message = messageWith(character.repeat(10_000), 'ON_STARTED_ARTIFACT');
      const { blocks } = chatBody(message, URLS.slack, PUBLIC_URL) as {
        blocks: { type: string; text?: { text: string } }[];
      };
      for (const { type, text } of blocks)
        expect(text?.text.length ?? 0).toBeLessThanOrEqual(type === 'header' ? 150 : 3000);
    }
  });

  it('puts no untrusted text on a line of its own', () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const { text } = chatBody(messageWith(name, 'ON_NON_COMPLIANT_ENV'), URLS.slack, PUBLIC_URL) as {
          text: string;
        };
        const lines = text
          .split('\n')
          .map((line) => /^(Non-compliant: |Why: |Environment: |Snapshot: |<https:)/.test(line));
        expect(lines).not.toContain(false);
        expect(text.slice(0, text.lastIndexOf('\n'))).not.toMatch(/[`*~\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u);
      }),
    );
  });
});

const GIVEN_WHY =
  '2 artifacts have no provenance: `web` and `db`. What to do: Report them to the flow that builds them.';
const givenMessage: Message = {
  ...messageWith('x', 'ON_NON_COMPLIANT_ENV'),
  org: 'acme',
  content: {
    ...messageWith('x', 'ON_NON_COMPLIANT_ENV').content,
    environment: 'production',
    snapshot: { index: 42, status: 'non-compliant' },
    artifact: { name: 'registry.acme.io/web:1.4.2', fingerprint: 'f'.repeat(64), compliant: false, provenance: null },
    names: [],
    why: '2 artifacts have no provenance: `web` and `db`.',
    fix: 'Report them to the flow that builds them.',
  },
};

it('is a card of plain runs for Teams', () => {
  const { type, attachments } = chatBody(givenMessage, URLS.teams, PUBLIC_URL) as {
    type: string;
    attachments: { contentType: string; content: { body: { type: string }[]; actions: unknown } }[];
  };
  expect(type).toBe('message');
  expect(attachments[0]?.contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(new Set(attachments[0]?.content.body.map((block) => block.type))).toEqual(new Set(['RichTextBlock']));
  expect(attachments[0]?.content.actions).toEqual([
    {
      type: 'Action.OpenUrl',
      title: 'Show snapshot 42',
      url: 'https://waymark.example.org/acme/environments/production/snapshots/42',
    },
  ]);
});

it('mentions nobody in Discord', () => {
  expect(chatBody(givenMessage, URLS.discord, PUBLIC_URL)).toMatchObject({
    content: '**Non\\-compliant\\: production**',
    allowed_mentions: { parse: [] },
    embeds: [{ url: 'https://waymark.example.org/acme/environments/production/snapshots/42', color: 0xc62828 }],
  });
});

it.each([
  ['https://hooks.slack.com/services/T/B/x', 'slack'],
  ['https://chat.acme.org/hooks/x', 'slack'],
  ['https://prod-1.westeurope.logic.azure.com/workflows/x', 'teams'],
  ['https://default1.environment.api.powerplatform.com:443/powerautomate/x', 'teams'],
  ['https://acme.webhook.office.com/webhookb2/x', 'teams'],
  ['https://chat.googleapis.com/v1/spaces/x/messages', 'googleChat'],
  ['https://discord.com/api/webhooks/1/x', 'discord'],
  ['https://canary.discord.com/api/webhooks/1/x', 'discord'],
  ['https://discord.com/api/webhooks/1/x/slack', 'slack'],
  ['https://evildiscord.com/api/webhooks/1/x', 'slack'],
  ['https://logic.azure.com.evil.org/x', 'slack'],
])('%s is written to as %s', (url, service) => {
  expect(chatServiceOf(url)).toBe(service);
});

it('leads to the start page when there is no other page', () => {
  const message = messageWith('n'.repeat(5_000), 'ON_STARTED_ARTIFACT');
  const { embeds } = chatBody(message, URLS.discord, PUBLIC_URL) as { embeds: { url: string }[] };
  expect(embeds[0]?.url).toBe(`${PUBLIC_URL}/`);
});
