import { PAYLOAD_VERSION, type TargetInput } from '@waymark/contract';
import { type Fields, invalidFields } from '../../../platform/errors.ts';
import { problemWithUrl } from './target-url.ts';

export type TargetKind = 'CHAT' | 'WEBHOOK' | 'EMAIL';

/** A valid target, as requested. */
export interface WantedTarget {
  /** The existing target that is meant; an unknown id is ignored. */
  readonly id: string | undefined;
  readonly kind: TargetKind;
  readonly url: string | null;
  readonly payloadVersion: string | null;
  readonly context: Readonly<Record<string, string>> | null;
  readonly emails: readonly string[];
}

export interface TargetRules {
  /** URLs are secrets: where none can be stored, only mail is possible. */
  readonly canStoreSecrets: boolean;
  /** CIDRs besides the public internet that the operator permits. */
  readonly networks: readonly string[];
}

const fields = ['webhook', 'payload_version', 'emails', 'context'] as const;
type Field = (typeof fields)[number];

const taken: Record<TargetKind, readonly Field[]> = {
  CHAT: ['webhook', 'context'],
  WEBHOOK: ['webhook', 'payload_version'],
  EMAIL: ['emails'],
};

const UNKNOWN_KIND = 'is required: CHAT or WEBHOOK, because a webhook URL does not determine the type';
const NO_KIND = 'is required: CHAT, WEBHOOK or EMAIL';
const NO_KEY =
  'cannot be stored: this installation has no WAYMARK_SECRET_KEY. Ask its operator to set one, or use EMAIL';

/** Throws everything that is wrong with the targets of a request, field by field. */
export function readTargets(inputs: readonly TargetInput[], rules: TargetRules): WantedTarget[] {
  const each = inputs.map((input) => readTarget(input, rules));
  const wanted = each.map(({ target }) => target);
  const faults = each.map(({ problems }, place) => ({ ...repeated(wanted, place), ...problems }));
  const allProblems = Object.assign(
    {},
    ...faults.map((problems, place) => under(`targets.${place}`, problems)),
  ) as Fields;
  if (Object.keys(allProblems).length === 0) return wanted;
  throw invalidFields(allProblems);
}

function readTarget(input: TargetInput, rules: TargetRules): { target: WantedTarget; problems: Fields } {
  const kind = kindOf(input);
  const target: WantedTarget = {
    id: input.id ?? undefined,
    kind: kind ?? 'CHAT',
    url: input.webhook ?? null,
    payloadVersion: kind === 'WEBHOOK' ? (input.payload_version ?? PAYLOAD_VERSION) : null,
    context: input.context ?? null,
    emails: input.emails ?? [],
  };
  if (kind) return { target, problems: problemsWith(kind, input, rules) };
  return { target, problems: { type: input.webhook === undefined ? NO_KIND : UNKNOWN_KIND } };
}

function kindOf({ type, emails, payload_version, context }: TargetInput): TargetKind | undefined {
  if (type) return type === 'SLACK' ? 'CHAT' : type;
  if (emails) return 'EMAIL';
  if (payload_version) return 'WEBHOOK';
  return context ? 'CHAT' : undefined;
}

function problemsWith(kind: TargetKind, input: TargetInput, rules: TargetRules): Fields {
  const foreign = fields.filter((field) => input[field] != null && !taken[kind].includes(field));
  const problems: Record<string, string> = {};
  for (const field of foreign) problems[field] = `is not allowed for ${kind}`;
  const main = kind === 'EMAIL' ? 'emails' : 'webhook';
  const problem = input[main] === undefined ? `is required for ${kind}` : problemWithMain(kind, input, rules);
  if (problem) problems[main] = problem;
  return problems;
}

function problemWithMain(kind: TargetKind, { webhook = '' }: TargetInput, rules: TargetRules): string | undefined {
  if (kind === 'EMAIL') return undefined;
  return problemWithUrl(webhook, rules.networks) ?? (rules.canStoreSecrets ? undefined : NO_KEY);
}

/** Nobody gets the same message twice. */
function repeated(targets: readonly WantedTarget[], place: number): Fields {
  const target = targets[place];
  if (!target) return {};
  const { kind, url, emails } = target;
  const before = targets.slice(0, place);
  const twin = url === null ? -1 : before.findIndex((other) => other.kind === kind && isSameUrl(other.url, url));
  const twice = emails.find((email, at) => emails.slice(0, at).some((other) => isSameEmail(other, email)));
  const elsewhere = emails.find((email) => placeOf(before, email) >= 0);
  return {
    ...(twin >= 0 && { webhook: `is the same as in targets.${twin}` }),
    ...(elsewhere !== undefined && {
      emails: `contains '${elsewhere}', as targets.${placeOf(before, elsewhere)} does`,
    }),
    ...(twice !== undefined && { emails: `contains '${twice}' twice` }),
  };
}

function placeOf(targets: readonly WantedTarget[], email: string): number {
  return targets.findIndex(({ emails }) => emails.some((other) => isSameEmail(other, email)));
}

function isSameUrl(one: string | null, other: string): boolean {
  return one !== null && (one === other || URL.parse(one)?.href === URL.parse(other)?.href);
}

function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function under(path: string, problems: Fields): Fields {
  return Object.fromEntries(Object.entries(problems).map(([field, reason]) => [`${path}.${field}`, reason]));
}
